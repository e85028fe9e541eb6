#include "cli/services/guard_unit.h"

#include "base/files/file.h"
#include "kinds/transcripts/verbs/copy_result.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::cli {

namespace {

constexpr std::string_view kUnit = "holdfast-guard.service";

// A word of a unit file: specifiers and escapes mean themselves.
std::string unit_word(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '%' || c == '$') out += c;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Result<std::string> this_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(system_error("where this program is", error.value()));
  return path.string();
}

std::string unit_path(const Context& context) {
  return std::filesystem::path(context.folders.config).parent_path().string() + "/systemd/user/" + std::string(kUnit);
}

// nullopt: done. Else what went wrong.
std::optional<std::string> systemctl(std::vector<std::string> words) {
  net::ChildCall call;
  call.arguments = {"systemctl", "--user"};
  call.arguments.insert(call.arguments.end(), words.begin(), words.end());
  const auto done = net::run_child(call);
  if (!done) return done.error().message;
  if (done->exit_code == 0) return std::nullopt;
  return done->errors.empty() ? fmt::format("exit {}", done->exit_code) : done->errors;
}

void print_unit_done(const Context& context, JsonObject fields, const std::string& text,
                     const std::optional<std::string>& trouble, const std::string& left_to_do) {
  if (context.json) {
    if (trouble) fields["warning"] = *trouble;
    if (trouble) fields["left_to_do"] = left_to_do;
    print_json(fields);
    return;
  }
  print(text);
  if (trouble) print_note(fmt::format("systemctl did not do it: {}\nleft to do: {}\n", harmless(*trouble, true), left_to_do));
}

}  // namespace

std::string guard_unit(const std::string& program, const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string out =
      "[Unit]\n"
      "Description=holdfast guard: keeps the transcripts of coding sessions\n"
      "StartLimitIntervalSec=0\n"
      "\n"
      "[Service]\n";
  for (const auto& [name, value] : environment) out += fmt::format("Environment={}\n", unit_word(name + "=" + value));
  out += fmt::format("ExecStart={} guard --watch\n", unit_word(program));
  out +=
      "Restart=on-failure\n"
      "RestartSec=30\n"
      "Nice=10\n"
      "IOSchedulingClass=idle\n"
      "\n"
      "[Install]\n"
      "WantedBy=default.target\n";
  return out;
}

Result<void> install_guard(Context& context) {
  HF_TRY(const std::string program, this_program());
  std::vector<std::pair<std::string, std::string>> environment;
  for (const char* name : {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
    if (auto value = context.environment(name)) environment.emplace_back(name, *value);
  }
  const std::string unit = guard_unit(program, environment);
  const std::string path = unit_path(context);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return fail(system_error("making the folder of " + path, error.value()));
  HF_CHECK(replace_file(path, unit, 0644));
  auto trouble = systemctl({"daemon-reload"});
  if (!trouble) trouble = systemctl({"enable", "--now", std::string(kUnit)});
  // A unit that was running goes on with the new text.
  if (!trouble) trouble = systemctl({"restart", std::string(kUnit)});
  print_unit_done(context, {{"written", path}, {"unit", unit}, {"running", !trouble}}, fmt::format("wrote {}:\n\n{}", path, unit),
                  trouble, fmt::format("systemctl --user daemon-reload && systemctl --user enable --now {}", kUnit));
  // What was asked for is a guard that runs.
  if (trouble)
    return fail(ErrorKind::unavailable, "the guard is installed, and does not run", "see above for what is left to do");
  return {};
}

Result<void> uninstall_guard(Context& context) {
  const std::string path = unit_path(context);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    if (context.json)
      print_json(JsonObject{{"removed", nullptr}, {"stopped", false}});
    else
      print(fmt::format("there is no {}: nothing to remove\n", path));
    return {};
  }
  const auto trouble = systemctl({"disable", "--now", std::string(kUnit)});
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(system_error("removing " + path, errno));
  static_cast<void>(systemctl({"daemon-reload"}));
  print_unit_done(context, {{"removed", path}, {"stopped", !trouble}},
                  fmt::format("removed {}\nwhat was kept stays: holdfast guard list\n", path), trouble,
                  fmt::format("systemctl --user stop {}", kUnit));
  return {};
}

Result<void> print_guard_hook(Context& context) {
  HF_TRY(const std::string program, this_program());
  const JsonObject command{
      {"type", "command"}, {"command", transcripts::shell_quoted(program) + " guard --hook"}, {"timeout", 30}};
  JsonObject events;
  for (const char* event : {"Stop", "SubagentStop", "PreCompact", "SessionEnd"}) {
    events[event] = JsonArray{JsonObject{{"hooks", JsonArray{Json(command)}}}};
  }
  const JsonObject hooks{{"hooks", std::move(events)}};
  print_json(hooks);
  if (!context.json) {
    print_note("add this to settings.json of Claude Code (~/.claude/settings.json), beside the hooks that are there already\n");
  }
  return {};
}

}  // namespace holdfast::cli
