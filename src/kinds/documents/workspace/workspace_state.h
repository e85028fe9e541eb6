#pragma once

// What the operations of a workspace share. Each operation is a function of its own file; workspace.cpp puts them behind the
// interface.

#include "kinds/documents/files/document_file.h"
#include "kinds/documents/find/change_index.h"
#include "kinds/documents/find/search_index.h"
#include "kinds/documents/links/links.h"
#include "kinds/documents/text/text_versions.h"
#include "kinds/documents/workspace/proposals.h"
#include "kinds/documents/workspace/workspace.h"

namespace holdfast::documents {

struct WorkspaceState {
  WorkspaceState(std::unique_ptr<Library> opened, const session::SharedStore& in, const Clock& time, Millis handle_ttl)
      : library(std::move(opened)),
        store(in.for_system(session::SystemWork::documents)),
        clock(time),
        handles(in, time, handle_ttl),
        proposals(library->settings()) {}

  std::unique_ptr<Library> library;
  session::Store& store;  // what is known of changes, whoever proposed them
  const Clock& clock;
  Handles handles;
  Proposals proposals;
  ChangeIndex index;
  LinkReader links;
  SearchIndex search;
  TextVersions versions;
};

// Reading is allowed up to here: a view is made of the whole, a part of it is shown.
inline constexpr std::size_t kMaxReadBytes = 64 * 1024 * 1024;

inline constexpr std::size_t kShownVersion = 16;  // characters of a version that are shown: 64 bits

// What `read` and `edit` see of a document: the accepted view needs the proposal for kinds without marks.
struct Sight {
  FileState file;
  std::optional<std::string> proposed;

  // Of a document with marks: its bytes; else what is proposed, or its bytes.
  const std::string& raw() const { return proposed ? *proposed : file.bytes; }
};
Result<Sight> look_at(WorkspaceState& workspace, const Place& place, std::size_t max_bytes);
// view: accepted, base or raw.
std::string view_text(const Place& place, const Sight& sight, std::string_view view);

// Finds a document; when it is not there, whoever had read it has to read what comes in its place. One that is only proposed
// answers so.
Result<Place> find_document(WorkspaceState& workspace, std::string_view path);
Result<void> require_read(WorkspaceState& workspace, const Opened& opened, const Place& place, std::optional<ReadRecord>& read);
// The `[session: ...]` line, for answers that bring a new handle.
std::string with_trailer(std::string text, const Opened& opened);
HandleRequest handle_request(const Asker& asker);
// Whose change this is: remembered for withdrawing and for the session's log. Written before the document is, as is what is
// decided about it: whoever types or sends the same once more, because nobody answered, is told that it was done.
struct ChangeOwner {
  std::string label, principal, author;
  std::string edit = {};     // which call made it, as a hash
  std::string verdict = {};  // "accepted" or "rejected"; it counts when the change is not pending any more
};
Result<void> remember_owner(WorkspaceState& workspace, const std::vector<std::string>& ids, const ChangeOwner& owner);
Result<std::optional<ChangeOwner>> owner_of(WorkspaceState& workspace, std::string_view id);
Result<void> remember_verdicts(WorkspaceState& workspace, const std::map<std::string, std::string>& by_id);
std::string make_change_id();
// What could not be written down after a document was changed: the change stands, so this is no error.
std::string not_noted(const Result<void>& written);

Result<std::string> create_session(WorkspaceState& workspace, const Asker& asker, std::string_view name, std::string_view model,
                                   std::string_view resume);
Result<std::string> read(WorkspaceState& workspace, const Asker& asker, const ReadRequest& request);
Result<std::string> edit(WorkspaceState& workspace, const Asker& asker, const EditRequest& request);
Result<std::string> create(WorkspaceState& workspace, const Asker& asker, std::string_view file_path, std::string_view content);
Result<std::string> move(WorkspaceState& workspace, const Asker& asker, std::string_view path, std::string_view new_path);
Result<std::string> undo_move(WorkspaceState& workspace, const Asker& asker, std::string_view journal);
// What the store knows about documents follows the moves that a crash cut short.
Result<void> catch_up_with_moves(WorkspaceState& workspace);
Result<std::string> remove(WorkspaceState& workspace, const Asker& asker, std::string_view file_path);
Result<std::string> withdraw(WorkspaceState& workspace, const Asker& asker, const std::vector<std::string>& ids);

Result<std::vector<PendingChange>> changes(WorkspaceState& workspace, const ChangeFilter& filter,
                                           const std::function<bool()>& cancelled);
Result<VerdictReport> decide(WorkspaceState& workspace, const Asker& asker, const Verdicts& verdicts);
// The one change of these that an id names. Errors: not_found; ambiguous, when it names one in each of several documents.
Result<const PendingChange*> named_change(const std::vector<PendingChange>& pending, std::string_view id);
Result<PendingChange> comment(WorkspaceState& workspace, const Asker& asker, std::string_view path, std::string_view change_id,
                              std::string_view note);

// Whose changes were accepted in a document since it was last committed.
struct Accepted {
  std::vector<std::string> proposers, sessions;
  std::size_t changes = 0;
};
Result<Accepted> accepted_in(WorkspaceState& workspace, const Place& place);
Result<void> keep_accepted(WorkspaceState& workspace, const Place& place, const Accepted& accepted);

// A document that `create` made and nobody has accepted anything of: refusing its text sends it to the trash.
Result<void> mark_created(WorkspaceState& workspace, const Place& place);
Result<bool> was_created(WorkspaceState& workspace, const Place& place);
Result<void> unmark_created(WorkspaceState& workspace, const Place& place);

}  // namespace holdfast::documents
