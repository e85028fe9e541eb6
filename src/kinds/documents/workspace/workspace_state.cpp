#include "kinds/documents/workspace/workspace_state.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "kinds/documents/text/views.h"

#include <fmt/format.h>

namespace holdfast::documents {

namespace {

constexpr std::string_view kOwnerSpace = "documents.change";
constexpr std::string_view kAcceptedSpace = "documents.accepted";
// Long enough for a change that waits over a year's holidays; afterwards it is nobody's and a person decides it.
constexpr Millis kOwnerLife = 400LL * 86'400'000;
// Short enough to type; 40 bits, and never two in one document.
constexpr std::size_t kChangeIdCharacters = 8;

// The mark of a document that was made here is a read record of nobody, so that it moves with the document.
const Opened& nobody() {
  static const Opened none{{}, "created", {}, {}};
  return none;
}

}  // namespace

std::string make_change_id() {
  return "c_" + random_base32(kChangeIdCharacters);
}

std::string not_noted(const Result<void>& written) {
  if (written) return {};
  return fmt::format("\nNote: this is done, but could not be written into the session's log: {}.", written.error().message);
}

HandleRequest handle_request(const Asker& asker) {
  HandleRequest request;
  request.who = asker.who();
  request.client = asker.client;
  request.root_uri = asker.root_uri;
  return request;
}

std::string with_trailer(std::string text, const Opened& opened) {
  if (opened.handle.empty()) return text;
  if (!text.empty()) text += "\n\n";
  return text + fmt::format("[session: {}]", opened.handle);
}

Result<Sight> look_at(WorkspaceState& workspace, const Place& place, std::size_t max_bytes) {
  Sight sight;
  HF_TRY(sight.file, read_document(*workspace.library, place, max_bytes, &workspace.versions));
  if (!place.reviewed) {
    HF_TRY(const auto overlay, workspace.proposals.overlay());
    sight.proposed = overlay->proposed(place.key, sight.file.bytes);
  }
  return sight;
}

std::string view_text(const Place& place, const Sight& sight, std::string_view view) {
  if (view == "raw") return sight.file.bytes;
  if (!place.reviewed) return view == "base" ? sight.file.bytes : sight.raw();
  return view_of(sight.file.bytes, view == "base" ? Side::base : Side::accepted);
}

Result<Place> find_document(WorkspaceState& workspace, std::string_view path) {
  auto place = workspace.library->find(path);
  if (!place && place.error().word() == "no_such_document") {
    const auto vacant = workspace.library->find_new(path);
    if (!vacant) return fail(place.error());
    HF_TRY(const auto proposed, workspace.proposals.of(vacant->key));
    for (const Proposal& proposal : proposed)
      if (proposal.kind == Proposal::Kind::create)
        return fail(
            ErrorKind::not_found, fmt::format("{} is not there yet: it waits for review as {}", vacant->path, proposal.id),
            "withdraw it to propose another text; it can be read and edited once a person has accepted it", "no_such_document");
    HF_CHECK(workspace.handles.forget(vacant->key));
    return fail(place.error());
  }
  if (!place) return fail(place.error());
  if (place->is_folder)
    return fail(ErrorKind::invalid, fmt::format("{} is a folder", place->path.empty() ? "." : place->path),
                "glob lists the documents in it", "not_text");
  return place;
}

Result<void> require_read(WorkspaceState& workspace, const Opened& opened, const Place& place, std::optional<ReadRecord>& read) {
  HF_TRY(read, workspace.handles.last_read(opened, place.key));
  if (read) return {};
  return fail(ErrorKind::refused, fmt::format("this session has not read {}", place.path),
              fmt::format("call read with file_path \"{}\" and this session_id first", place.path), "not_read");
}

Result<void> remember_owner(WorkspaceState& workspace, const std::vector<std::string>& ids, const ChangeOwner& owner) {
  if (ids.empty()) return {};
  const JsonObject value{{"label", owner.label}, {"principal", owner.principal}, {"author", owner.author}, {"edit", owner.edit}};
  return workspace.store.write([&](session::Transaction& transaction) -> Result<void> {
    for (const std::string& id : ids) HF_CHECK(transaction.put(kOwnerSpace, id, value, {}, transaction.now() + kOwnerLife));
    return {};
  });
}

Result<std::optional<ChangeOwner>> owner_of(WorkspaceState& workspace, std::string_view id) {
  HF_TRY(const auto stored, workspace.store.value(kOwnerSpace, id));
  if (!stored || !stored->value.is_object()) return std::nullopt;
  const JsonObject& value = stored->value.as_object();
  const auto text = [&](std::string_view name) { return std::string(find_string(value, name).value_or("")); };
  return ChangeOwner{text("label"), text("principal"), text("author"), text("edit"), text("verdict")};
}

Result<void> remember_verdicts(WorkspaceState& workspace, const std::map<std::string, std::string>& by_id) {
  return workspace.store.write([&](session::Transaction& transaction) -> Result<void> {
    for (const auto& [id, verdict] : by_id) {
      HF_TRY(const auto stored, transaction.value(kOwnerSpace, id));
      if (!stored || !stored->value.is_object()) continue;  // marks by hand have none
      JsonObject value = stored->value.as_object();
      value["verdict"] = verdict;
      HF_CHECK(transaction.put(kOwnerSpace, id, value, {}, transaction.now() + kOwnerLife));
    }
    return {};
  });
}

Result<Accepted> accepted_in(WorkspaceState& workspace, const Place& place) {
  HF_TRY(const auto stored, workspace.store.value(kAcceptedSpace, to_hex(sha256(place.key))));
  if (!stored || !stored->value.is_object()) return Accepted{};
  const JsonObject& value = stored->value.as_object();
  return Accepted{strings_in(value, "proposers"), strings_in(value, "sessions"),
                  static_cast<std::size_t>(find_int(value, "changes").value_or(0))};
}

Result<void> keep_accepted(WorkspaceState& workspace, const Place& place, const Accepted& accepted) {
  const std::string key = to_hex(sha256(place.key));
  return workspace.store.write([&](session::Transaction& transaction) -> Result<void> {
    if (accepted.changes == 0) {
      HF_CHECK(transaction.erase(kAcceptedSpace, key));
      return {};
    }
    const JsonObject value{{"proposers", to_json_array(accepted.proposers)},
                           {"sessions", to_json_array(accepted.sessions)},
                           {"changes", static_cast<std::int64_t>(accepted.changes)}};
    HF_CHECK(transaction.put(kAcceptedSpace, key, value, {}, transaction.now() + kOwnerLife));
    return {};
  });
}

Result<void> mark_created(WorkspaceState& workspace, const Place& place) {
  return workspace.handles.keep_version(nobody(), place.key, "");
}

Result<bool> was_created(WorkspaceState& workspace, const Place& place) {
  HF_TRY(const auto mark, workspace.handles.last_read(nobody(), place.key));
  return mark.has_value();
}

Result<void> unmark_created(WorkspaceState& workspace, const Place& place) {
  return workspace.handles.forget_read(nobody(), place.key);
}

}  // namespace holdfast::documents
