#pragma once

// What can be done with documents; tools, commands and pages call this (document-review §5, §7).
//
// Every function answers with the very text a model or a person is shown (results that are content are text alone), or with an
// Error whose code is one of §4. A refusal leaves bytes, modification time and folders as they were. Thread-safe; blocks.

#include "documents/handles.h"
#include "documents/library.h"

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
  std::string client;
  bool reviewer = false;
  std::string name;                 // of a reviewer, for comments and git
  std::string email;                // for git; may be empty
  std::function<bool()> cancelled;  // may be empty
};

struct ReadRequest {
  std::string file_path, session_id, view = "accepted";
  std::int64_t offset = 1, limit = 2000;
};
struct EditRequest {
  struct One {
    std::string old_string, new_string;
    bool replace_all = false;
  };
  std::string file_path, session_id, expected_version;
  std::vector<One> edits;
};
struct ChangeFilter {
  std::string path, author;
  std::optional<Millis> since;
};

struct PendingChange {
  std::string id, path, kind;  // insertion, deletion, substitution, comment, highlight, edit, delete, create
  std::int64_t line = 0;
  std::string del, ins, author, before, after;  // before, after: context without marks
  std::optional<Millis> time;
  bool in_front_matter = false;
};

struct Verdicts {
  std::vector<std::string> accept, reject;
  std::string path, author;  // all of a file, of an author; with no ids
  bool accept_all = false, reject_all = false;
  bool commit = false;  // with git: commit what was accepted
};
struct VerdictReport {
  std::vector<std::string> applied;
  std::vector<std::pair<std::string, std::string>> failed;  // id, why
  std::size_t remaining = 0;
  std::string commit;  // hash, when one was made
};

class Desk {
 public:
  static Result<std::unique_ptr<Desk>> open(LibrarySettings settings, session::Store& store, const Clock& clock);
  virtual ~Desk() = default;

  virtual Result<std::string> create_session(const Asker& asker, std::string_view name, std::string_view model,
                                             std::string_view resume) = 0;
  virtual Result<std::string> end_session(const Asker& asker, std::string_view session_id) = 0;
  virtual Result<std::string> read(const Asker& asker, const ReadRequest& request) = 0;
  virtual Result<std::string> edit(const Asker& asker, const EditRequest& request) = 0;
  virtual Result<std::string> create(const Asker& asker, std::string_view file_path, std::string_view content,
                                     std::string_view session_id) = 0;
  virtual Result<std::string> move(const Asker& asker, std::string_view path, std::string_view new_path,
                                   std::string_view session_id) = 0;
  virtual Result<std::string> remove(const Asker& asker, std::string_view file_path, std::string_view session_id) = 0;
  virtual Result<std::string> withdraw(const Asker& asker, const std::vector<std::string>& ids, std::string_view session_id) = 0;
  virtual Result<std::string> get_links(const Asker& asker, std::string_view file_path, std::string_view session_id) = 0;

  virtual Result<std::vector<PendingChange>> changes(const Asker& asker, const ChangeFilter& filter) = 0;
  // Refused unless asker.reviewer.
  virtual Result<VerdictReport> decide(const Asker& asker, const Verdicts& verdicts) = 0;
  virtual Result<std::string> comment(const Asker& asker, std::string_view change_id, std::string_view note) = 0;

  virtual Library& library() = 0;
};

}  // namespace holdfast::documents
