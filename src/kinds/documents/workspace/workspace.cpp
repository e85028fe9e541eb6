#include "kinds/documents/workspace/workspace.h"

#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>

namespace holdfast::documents {

namespace {

constexpr std::size_t kMaxSearchHits = 100;
constexpr std::size_t kMaxListedBytes = 60'000;  // as much as `read` shows

class OpenWorkspace final : public Workspace {
 public:
  OpenWorkspace(std::unique_ptr<Library> library, const session::SharedStore& stores, const Clock& clock, Millis handle_ttl)
      : state_(std::move(library), stores, clock, handle_ttl) {}

  Result<void> catch_up() { return catch_up_with_moves(state_); }

  Result<std::string> create_session(const Asker& asker, std::string_view name, std::string_view model,
                                     std::string_view resume) override {
    return documents::create_session(state_, asker, name, model, resume);
  }
  Result<std::string> end_session(const Asker& asker) override {
    HF_TRY(const Opened opened, state_.handles.open(asker.who(), asker.session_id));
    HF_CHECK(state_.handles.end(asker.who(), asker.session_id));
    return fmt::format("Ended {}. Pending changes stay; create_session with resume \"{}\" goes on with what was read.",
                       opened.label, opened.label);
  }
  Result<std::string> read(const Asker& asker, const ReadRequest& request) override {
    return documents::read(state_, asker, request);
  }
  Result<std::string> edit(const Asker& asker, const EditRequest& request) override {
    return documents::edit(state_, asker, request);
  }
  Result<std::string> create(const Asker& asker, std::string_view file_path, std::string_view content) override {
    return documents::create(state_, asker, file_path, content);
  }
  Result<std::string> move(const Asker& asker, std::string_view path, std::string_view new_path) override {
    return documents::move(state_, asker, path, new_path);
  }
  Result<std::string> remove(const Asker& asker, std::string_view file_path) override {
    return documents::remove(state_, asker, file_path);
  }
  Result<std::string> withdraw(const Asker& asker, const std::vector<std::string>& ids) override {
    return documents::withdraw(state_, asker, ids);
  }
  Result<std::string> get_links(const Asker& asker, std::string_view file_path) override {
    HF_CHECK(keep_alive(asker));
    HF_TRY(const Place place, find_document(state_, file_path));
    HF_TRY(const auto overlay, state_.proposals.overlay());
    HF_TRY(const LinkMap map, state_.links.read(*state_.library, *overlay, asker.cancelled));
    return describe_links(map, place);
  }
  Result<std::string> glob(const Asker& asker, GlobRequest request) override {
    HF_CHECK(keep_alive(asker));
    request.cancelled = asker.cancelled;
    return documents::glob(*state_.library, request);
  }
  Result<std::string> grep(const Asker& asker, GrepRequest request) override {
    HF_CHECK(keep_alive(asker));
    request.cancelled = asker.cancelled;
    HF_TRY(const auto overlay, state_.proposals.overlay());
    return documents::grep(*state_.library, *overlay, request);
  }
  Result<std::string> search(const Asker& asker, std::string_view query, std::size_t limit) override {
    HF_CHECK(keep_alive(asker));
    HF_TRY(const auto overlay, state_.proposals.overlay());
    return state_.search.search(*state_.library, *overlay, query, std::min(limit, kMaxSearchHits), asker.cancelled);
  }
  Result<std::string> list_changes(const Asker& asker, const ChangeFilter& filter) override {
    HF_CHECK(keep_alive(asker));
    HF_TRY(auto found, documents::changes(state_, filter, asker.cancelled));
    // Comments and highlights are content (§6.1): a model reads them in the text.
    std::erase_if(found, is_remark);
    if (found.empty()) return "No pending changes.";
    std::string text = fmt::format("{} pending change(s)\n", found.size());
    std::size_t shown = std::min(filter.offset, found.size());
    for (; shown < found.size() && text.size() <= kMaxListedBytes; ++shown)
      text += '\n' + several_lines(found[shown], state_.clock.now());
    if (shown < found.size()) text += fmt::format("\n[{} more: continue with offset {}]", found.size() - shown, shown);
    return text;
  }

  Result<std::vector<PendingChange>> changes(const ChangeFilter& filter, const std::function<bool()>& cancelled) override {
    return documents::changes(state_, filter, cancelled);
  }
  Result<VerdictReport> decide(const Asker& asker, const Verdicts& verdicts) override {
    return documents::decide(state_, asker, verdicts);
  }
  Result<PendingChange> comment(const Asker& asker, std::string_view path, std::string_view change_id,
                                std::string_view note) override {
    return documents::comment(state_, asker, path, change_id, note);
  }
  Result<std::string> undo_move(const Asker& asker, std::string_view journal) override {
    HF_CHECK(require_reviewer(asker));
    return documents::undo_move(state_, asker, journal);
  }
  Result<std::string> restore(const Asker& asker, std::string_view trash_id) override {
    HF_CHECK(require_reviewer(asker));
    HF_TRY(const Place place, restore_from_trash(*state_.library, trash_id, asker.name));
    return fmt::format("Restored {}", place.path);
  }
  Result<std::vector<TrashedFile>> trash() override { return list_trash(*state_.library); }
  Result<std::string> text(std::string_view file_path, std::string_view view) override {
    HF_TRY(const Place place, find_document(state_, file_path));
    HF_TRY(const Sight sight, look_at(state_, place, kMaxReadBytes));
    return view_text(place, sight, view);
  }

  Result<std::size_t> sweep() override { return state_.handles.sweep(); }
  Library& library() override { return *state_.library; }

 private:
  // A handle that is passed along must hold, and lives longer by it.
  Result<void> keep_alive(const Asker& asker) {
    if (asker.session_id.empty()) return {};
    HF_CHECK(state_.handles.open(asker.who(), asker.session_id));
    return {};
  }
  static Result<void> require_reviewer(const Asker& asker) {
    if (asker.reviewer) return {};
    return fail(ErrorKind::refused, "only a person may do this", "ask the person you work for", "reviewer_required");
  }

  WorkspaceState state_;
};

}  // namespace

Identity Asker::who() const {
  Identity identity = full_identity(principal);
  identity.projects = projects;
  return identity;
}

Result<std::unique_ptr<Workspace>> Workspace::open(LibrarySettings settings, const session::SharedStore& stores,
                                                   const Clock& clock, Millis handle_ttl) {
  HF_TRY(auto library, Library::open(std::move(settings)));
  HF_CHECK(recover_library(*library));
  auto workspace = std::make_unique<OpenWorkspace>(std::move(library), stores, clock, handle_ttl);
  HF_CHECK(workspace->catch_up());
  return workspace;
}

}  // namespace holdfast::documents
