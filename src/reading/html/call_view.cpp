#include "reading/html/call_view.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <span>

namespace holdfast::reading {
namespace {

// Takes a text argument out of what is left to show.
std::string take(JsonObject& rest, std::string_view key) {
  const auto found = rest.find(key);
  if (found == rest.end() || !found->value().is_string()) return {};
  std::string text(view(found->value().get_string()));
  rest.erase(found);
  return text;
}

std::string take_first(JsonObject& rest, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys)
    if (std::string text = take(rest, key); !text.empty()) return text;
  return {};
}

// Codex gives a command as words.
std::string take_command(JsonObject& rest) {
  for (const std::string_view key : {"command", "cmd"}) {
    const auto found = rest.find(key);
    if (found == rest.end()) continue;
    std::string command;
    if (found->value().is_string()) command = view(found->value().get_string());
    if (found->value().is_array())
      for (const Json& word : found->value().get_array())
        if (word.is_string()) command += (command.empty() ? "" : " ") + std::string(view(word.get_string()));
    if (command.empty()) continue;
    rest.erase(found);
    return command;
  }
  return {};
}

void take_edit(JsonObject& edit, const std::string& path, std::vector<Diff>& diffs) {
  Diff diff;
  diff.path = path;
  diff.before = take(edit, "old_string");
  diff.after = take(edit, "new_string");
  if (!diff.before.empty() || !diff.after.empty()) diffs.push_back(std::move(diff));
}

void take_edits(CallView& shown) {
  shown.summary = take_first(shown.rest, std::array<std::string_view, 2>{"file_path", "notebook_path"});
  take_edit(shown.rest, shown.summary, shown.diffs);
  const auto edits = shown.rest.find("edits");
  if (edits == shown.rest.end() || !edits->value().is_array()) return;
  for (Json& each : edits->value().get_array())
    if (each.is_object()) take_edit(each.get_object(), shown.summary, shown.diffs);
  shown.rest.erase("edits");
}

void take_todos(CallView& shown, std::string_view key, std::span<const std::string_view> texts) {
  const auto todos = shown.rest.find(key);
  if (todos == shown.rest.end() || !todos->value().is_array()) return;
  for (Json& each : todos->value().get_array())
    if (each.is_object()) shown.todos.push_back({take_first(each.get_object(), texts), take(each.get_object(), "status")});
  shown.rest.erase(key);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

CallView view_call(const Part& call) {
  CallView shown;
  shown.rest = call.arguments;
  const std::string_view name = call.name;
  if (is_one_of(name, {"Bash", "shell", "local_shell", "exec_command", "container.exec"})) {
    shown.summary = take_command(shown.rest);
    if (shown.summary.contains('\n') || shown.summary.size() > 120) shown.body = shown.summary;
    if (const std::string about = take(shown.rest, "description"); !about.empty()) shown.summary = about + ": " + shown.summary;
  } else if (is_one_of(name, {"Edit", "MultiEdit", "NotebookEdit", "edit"})) {
    take_edits(shown);
  } else if (is_one_of(name, {"Write", "write_file", "create"})) {
    shown.summary = take_first(shown.rest, std::array<std::string_view, 2>{"file_path", "path"});
    shown.body = take(shown.rest, "content");
  } else if (is_one_of(name, {"Read", "read", "read_file", "read_text_file", "NotebookRead", "LS"})) {
    shown.summary = take_first(shown.rest, std::array<std::string_view, 3>{"file_path", "path", "notebook_path"});
  } else if (is_one_of(name, {"Glob", "Grep", "grep", "glob"})) {
    shown.summary = take(shown.rest, "pattern");
  } else if (is_one_of(name, {"TodoWrite", "update_plan"})) {
    constexpr std::array<std::string_view, 2> kTexts = {"content", "step"};
    take_todos(shown, name == "TodoWrite" ? "todos" : "plan", kTexts);
    shown.summary = take(shown.rest, "explanation");
  } else if (name == "apply_patch") {
    if (Diff diff{.path = {}, .before = {}, .after = {}, .patch = take(shown.rest, "input")}; !diff.patch.empty())
      shown.diffs.push_back(std::move(diff));
  } else if (is_one_of(name, {"Task", "Agent"})) {
    shown.summary = take(shown.rest, "description");
    shown.body = take(shown.rest, "prompt");
    shown.body_is_text = true;
  } else if (is_one_of(name, {"WebFetch", "WebSearch", "fetch", "search"})) {
    shown.summary = take_first(shown.rest, std::array<std::string_view, 2>{"url", "query"});
  } else if (name == "ExitPlanMode") {
    shown.body = take(shown.rest, "plan");
    shown.body_is_text = true;
  } else {
    // One argument that says what it is about serves as the summary, and stays among the others.
    for (const std::string_view key : {"command", "path", "file_path", "query", "url", "name", "subject"})
      if (const auto text = find_string(shown.rest, key); text && shown.summary.empty()) shown.summary = *text;
  }
  return shown;
}

}  // namespace holdfast::reading
