// New documents, and the proposal to delete one (document-review §5 `create`, `delete`).

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "kinds/documents/text/merge.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>

namespace holdfast::documents {

namespace {

Result<void> check_content(std::string_view content) {
  if (content.size() > kMaxDocumentBytes)
    return fail(ErrorKind::too_large,
                fmt::format("content has {} bytes; a document has at most {}", content.size(), kMaxDocumentBytes),
                "split it into several documents", "too_large");
  if (!is_valid_utf8(content) || content.find('\0') != std::string_view::npos)
    return fail(ErrorKind::invalid, "content is not text", "documents are UTF-8 without NUL", "not_text");
  return {};
}

Proposal new_proposal(WorkspaceState& workspace, const Opened& opened, const Place& place, Proposal::Kind kind) {
  Proposal proposal;
  proposal.kind = kind;
  proposal.id = make_proposal_id();
  proposal.key = place.key;
  proposal.author = opened.author;
  proposal.label = opened.label;
  proposal.time = workspace.clock.now();
  return proposal;
}

JsonObject proposed_data(const Place& place, std::string_view id) {
  JsonArray ids;
  if (!id.empty()) ids.emplace_back(id);
  return {{"path", place.path}, {"changes", std::move(ids)}};
}

// Whoever makes a document knows what it says.
Result<void> log_creation(WorkspaceState& workspace, const Opened& opened, const Place& place, std::string_view id,
                          std::string_view version) {
  return workspace.handles.note_version(opened, "proposed", fmt::format("creation of {}", place.path), proposed_data(place, id),
                                        place.key, version);
}

Result<Opened> open_or_create(WorkspaceState& workspace, const Asker& asker) {
  if (asker.session_id.empty()) return workspace.handles.create(handle_request(asker));
  return workspace.handles.open(asker.who(), asker.session_id);
}

// The proposal of this kind that a document has already.
Result<std::optional<Proposal>> pending_proposal(WorkspaceState& workspace, const Place& place, Proposal::Kind kind) {
  HF_TRY(const auto known, workspace.proposals.of(place.key));
  for (const Proposal& each : known)
    if (each.kind == kind) return each;
  return std::nullopt;
}

// A file of a kind without marks does not exist until somebody accepts it.
Result<std::string> propose_new(WorkspaceState& workspace, const Asker& asker, const Place& place, std::string_view content) {
  HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace.library, place.key));
  HF_TRY(const auto known, pending_proposal(workspace, place, Proposal::Kind::create));
  if (known)
    return fail(ErrorKind::conflict,
                fmt::format("{} is proposed already: {} by {} waits for review", place.path, known->id, known->author),
                "choose another name, or withdraw yours first", "exists");
  HF_TRY(const Opened opened, open_or_create(workspace, asker));
  Proposal proposal = new_proposal(workspace, opened, place, Proposal::Kind::create);
  proposal.bytes = content;
  HF_CHECK(remember_owner(workspace, {proposal.id}, {opened.label, asker.principal, opened.author}));
  // Once it is there, its author has read it.
  const std::string version = to_hex(sha256(content));
  HF_CHECK(workspace.handles.keep_version(opened, place.key, version));
  HF_CHECK(workspace.proposals.keep(proposal));
  std::string text =
      fmt::format("Proposed {}: {} waits for review; the file is made when a person accepts it.", place.path, proposal.id);
  text += not_noted(log_creation(workspace, opened, place, proposal.id, version));
  return with_trailer(std::move(text), opened);
}

std::string bulleted(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += "\n- " + path;
  return text;
}

}  // namespace

Result<std::string> create(WorkspaceState& workspace, const Asker& asker, std::string_view file_path, std::string_view content) {
  // A handle that does not hold is refused before anything is looked at; a new one is minted only for a document that was made.
  if (!asker.session_id.empty()) HF_CHECK(workspace.handles.open(asker.who(), asker.session_id));
  HF_TRY(const Place place, workspace.library->find_new(file_path));
  HF_CHECK(workspace.library->require_writable(place));
  HF_CHECK(check_content(content));
  if (!place.reviewed && !workspace.library->settings().direct_edits) return propose_new(workspace, asker, place, content);

  const WorkspaceState& state = workspace;
  std::string id, bytes(content);
  std::optional<Opened> opened;
  if (place.reviewed && !content.empty()) {
    // The author's label is part of the bytes, and with it the session; a refused text makes none.
    std::string unused;
    HF_CHECK(wrap_new_document(content, {"AI", state.clock.now(), make_change_id, {}}, unused));
  }
  HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace.library, place.key));
  HF_TRY(opened, open_or_create(workspace, asker));
  if (place.reviewed) {
    HF_TRY(bytes, wrap_new_document(content, {opened->author, state.clock.now(), make_change_id, opened->by}, id));
  }
  FileStep step;
  step.kind = FileStep::Kind::create;
  step.place = place;
  step.bytes = std::move(bytes);
  std::vector<std::string> ids;
  if (!id.empty()) ids.push_back(id);
  // What is known of it comes first: it is true as soon as the file is there, and harmless when it never is.
  HF_CHECK(workspace.handles.forget(place.key));
  if (place.reviewed) HF_CHECK(mark_created(workspace, place));
  const std::string version = to_hex(sha256(step.bytes));
  HF_CHECK(workspace.handles.keep_version(*opened, place.key, version));
  HF_CHECK(remember_owner(workspace, ids, {opened->label, asker.principal, opened->author}));
  HF_CHECK(apply_steps(*workspace.library, {std::move(step)}, {"create", ids, short_hash(opened->label)}));
  const std::string unnoted = not_noted(log_creation(workspace, *opened, place, id, version));
  std::string text = id.empty() ? fmt::format("Created {}: empty, nothing pending.", place.path)
                                : fmt::format("Created {}: 1 change(s) pending: {} (the whole text).", place.path, id);
  if (!place.reviewed) text = fmt::format("Created {}: written directly.", place.path);
  if (place.reviewed && content.starts_with("---\n"))
    text += "\nNote: its front matter is not front matter for other tools until the change is accepted.";
  text += unnoted;
  return with_trailer(std::move(text), *opened);
}

Result<std::string> remove(WorkspaceState& workspace, const Asker& asker, std::string_view file_path) {
  HF_TRY(const Opened opened, workspace.handles.open(asker.who(), asker.session_id));
  HF_TRY(const Place place, find_document(workspace, file_path));
  HF_CHECK(workspace.library->require_writable(place));
  std::optional<ReadRecord> read;
  HF_CHECK(require_read(workspace, opened, place, read));
  HF_TRY(const FileState file, read_document(*workspace.library, place, kMaxReadBytes));
  HF_TRY(const auto overlay, workspace.proposals.overlay());
  HF_TRY(const LinkMap links, workspace.links.read(*workspace.library, *overlay, asker.cancelled));
  HF_TRY(const DocumentLock lock, DocumentLock::take(*workspace.library, place.key));
  HF_TRY(const auto known, pending_proposal(workspace, place, Proposal::Kind::remove));
  if (known && known->base_version == file.version)
    return fmt::format("{} is proposed for deletion already: {} by {} waits for review.", place.path, known->id, known->author);
  Proposal proposal = new_proposal(workspace, opened, place, Proposal::Kind::remove);
  proposal.base_version = file.version;
  HF_CHECK(remember_owner(workspace, {proposal.id}, {opened.label, asker.principal, opened.author}));
  HF_CHECK(workspace.proposals.keep(proposal));
  const std::string unnoted = not_noted(workspace.handles.note(
      opened.label, "proposed", fmt::format("deletion of {}", place.path), proposed_data(place, proposal.id)));
  const std::vector<std::string> incoming = links.backward(place.path);
  return unnoted +
         fmt::format("Proposed to delete {}: {} waits for review; the file stays until a person accepts.\nIncoming links ({}):{}",
                     place.path, proposal.id, incoming.size(), incoming.empty() ? "\n- (none)" : bulleted(incoming));
}

}  // namespace holdfast::documents
