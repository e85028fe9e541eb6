#pragma once

// What can be done with documents; tools, commands and pages call this (document-review §5, §7).
//
// Functions of tools answer with the very text a model is shown, or with an Error whose code is one of §4 (find it with
// Error::code; message and hint together are the text). A refusal leaves bytes, modification time and folders as they were.
// Thread-safe; blocks.

#include "kinds/documents/files/library.h"
#include "kinds/documents/files/trash.h"
#include "kinds/documents/find/glob.h"
#include "kinds/documents/find/grep.h"
#include "kinds/documents/text/pending_change.h"
#include "kinds/documents/workspace/handles.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// Who asks, and with what right. A reviewer is a person: the command line, or a credential with that role.
struct Asker {
  std::string principal = "local";
  std::vector<std::string> projects;  // as Identity has them
  std::string client, root_uri;
  std::string session_id;  // the handle; "" when none was given
  bool reviewer = false;
  std::string name, email;          // of a reviewer, for comments and git
  std::function<bool()> cancelled;  // may be empty

  Identity who() const;
};

struct ReadRequest {
  std::string file_path, view = "accepted";  // base, raw
  std::int64_t offset = 1, limit = 2000;
};

struct EditRequest {
  struct One {
    std::string old_string, new_string;
    bool replace_all = false;
  };
  std::string file_path, expected_version;
  std::vector<One> edits;  // all or nothing, each sees what the one before did
};

struct ChangeFilter {
  std::string path, author;  // a file or a folder; the exact label
  std::optional<Millis> since;
  std::size_t offset = 0;  // of list_changes: so many are left out
};

struct Verdicts {
  std::vector<std::string> accept, reject;  // ids, as is_named knows them
  std::optional<bool> all;                  // accept (or reject) all that the filter finds; then no ids
  ChangeFilter filter;                      // also limits where ids are looked for
  bool commit = false;                      // with git: commit each accepted file
};
struct VerdictReport {
  std::vector<std::string> applied;
  std::vector<std::pair<std::string, std::string>> failed;  // id, why
  std::size_t remaining = 0;                                // in the files that were touched
  std::vector<std::string> commits;                         // hashes
  std::vector<std::string> notes;                           // what a person should know: sent to the trash, …
};

class Workspace {
 public:
  // Everything by reference outlives it. Recovers what a crash left.
  static Result<std::unique_ptr<Workspace>> open(LibrarySettings settings, const session::SharedStore& stores, const Clock& clock,
                                                 Millis handle_ttl = kHandleTtl);
  virtual ~Workspace() = default;

  virtual Result<std::string> create_session(const Asker& asker, std::string_view name, std::string_view model,
                                             std::string_view resume) = 0;
  virtual Result<std::string> end_session(const Asker& asker) = 0;
  virtual Result<std::string> read(const Asker& asker, const ReadRequest& request) = 0;
  virtual Result<std::string> edit(const Asker& asker, const EditRequest& request) = 0;
  virtual Result<std::string> create(const Asker& asker, std::string_view file_path, std::string_view content) = 0;
  virtual Result<std::string> move(const Asker& asker, std::string_view path, std::string_view new_path) = 0;
  virtual Result<std::string> remove(const Asker& asker, std::string_view file_path) = 0;
  virtual Result<std::string> withdraw(const Asker& asker, const std::vector<std::string>& ids) = 0;
  virtual Result<std::string> get_links(const Asker& asker, std::string_view file_path) = 0;
  virtual Result<std::string> glob(const Asker& asker, GlobRequest request) = 0;
  virtual Result<std::string> grep(const Asker& asker, GrepRequest request) = 0;
  virtual Result<std::string> search(const Asker& asker, std::string_view query, std::size_t limit) = 0;
  virtual Result<std::string> list_changes(const Asker& asker, const ChangeFilter& filter) = 0;

  // For people. Only for reviewers: decide, comment, undo_move, restore (refused with code reviewer_required).
  virtual Result<std::vector<PendingChange>> changes(const ChangeFilter& filter, const std::function<bool()>& cancelled) = 0;
  virtual Result<VerdictReport> decide(const Asker& asker, const Verdicts& verdicts) = 0;
  // Puts a comment behind a change; it goes when the change is decided. path: the document it is in, "" for wherever it is.
  virtual Result<PendingChange> comment(const Asker& asker, std::string_view path, std::string_view change_id,
                                        std::string_view note) = 0;
  virtual Result<std::string> undo_move(const Asker& asker, std::string_view journal) = 0;
  virtual Result<std::string> restore(const Asker& asker, std::string_view trash_id) = 0;
  virtual Result<std::vector<TrashedFile>> trash() = 0;
  // A document's text in a view, for export and for pages.
  virtual Result<std::string> text(std::string_view file_path, std::string_view view) = 0;

  // Ends sessions whose handle ran out (handles.h).
  virtual Result<std::size_t> sweep() = 0;
  virtual Library& library() = 0;
};

}  // namespace holdfast::documents
