// holdfast brief: what somebody who begins anew in this project needs to know.

#include "base/text/uri.h"
#include "cli/program/context.h"
#include "kinds/reasoning/read/brief.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::cli {

namespace {

// --root, else the folder Claude Code exports to its hooks, else where this runs: a person at a shell, or a hook, means the
// project around it.
Result<std::string> project_here(const Context& context) {
  if (const std::string& root = context.settings.text("root"); !root.empty()) return canonical_root(root);
  if (auto folder = context.environment("CLAUDE_PROJECT_DIR"); folder && !folder->empty()) return canonical_root(*folder);
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the current folder", error.value()));
  return canonical_root(here.string());
}

// Sessions know the folder the client named; below it, the nearest folder above that has any is the project.
Result<std::optional<session::SessionRecord>> session_of(session::Store& store, const Context& context, std::string root) {
  reasoning::Situation situation;
  situation.principal = context.settings.text("principal");
  while (true) {
    situation.roots = {root};
    HF_TRY(session::Page page, reasoning::recoverable(store, situation, {}, 1));
    if (!page.items.empty()) return std::move(page.items.front());
    const std::size_t slash = root.rfind('/');
    if (slash == std::string::npos || slash <= std::string_view("file://").size()) return std::nullopt;
    root.resize(slash);
  }
}

}  // namespace

Result<void> print_brief(Context& context) {
  HF_TRY(const std::string root, project_here(context));
  const std::string id = context.given.text("session");
  auto store = context.open_store(true);
  std::optional<session::SessionRecord> record;
  if (store && !id.empty()) {
    HF_TRY(record, session::find_session(**store, context.settings.text("principal"), id));
    if (record->kind != session::kReasoning)
      return fail(ErrorKind::invalid,
                  fmt::format("{} is a {} session; a brief is made of reasoning sessions", record->id, record->kind));
  } else if (store) {
    HF_TRY(record, session_of(**store, context, root));
  } else if (store.error().kind != ErrorKind::not_found || !id.empty()) {
    return fail(std::move(store).error());
  }
  if (!record) {
    // For a hook it is the usual case, and no reason to print anything.
    if (context.given.flag("quiet")) return {};
    return fail(ErrorKind::not_found, fmt::format("there is no reasoning session under {}", root),
                "holdfast sessions list shows all there are", "no_sessions");
  }
  reasoning::BriefOptions options;
  if (const auto most = context.given.number("max_chars")) options.max_chars = static_cast<std::size_t>(*most);
  HF_TRY(const reasoning::Brief brief, reasoning::make_brief(**store, *record, options, context.clock->now()));
  if (context.json) {
    JsonObject state{{"sessionId", record->id}, {"brief", brief.text}, {"cut", brief.cut}};
    for (const auto& part : brief.parts) state.insert(part);
    print_json(state);
  } else {
    print(harmless(brief.text, false));
  }
  return {};
}

}  // namespace holdfast::cli
