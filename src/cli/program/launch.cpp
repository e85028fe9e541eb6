#include "cli/program/launch.h"

#include "kinds/transcripts/home/running.h"

#include <fmt/format.h>

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace holdfast::cli {

namespace {

// With the last one set the client writes no transcript; the others make it believe that it runs inside itself.
constexpr std::array kInherited = {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION"};

bool is_on_path(const Environment& environment, const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    if (::access((path.substr(from, colon - from) + "/" + program).c_str(), X_OK) == 0) return true;
    from = colon + 1;
  }
  return false;
}

}  // namespace

Result<void> check_launch(const Context& context, const TranscriptWork& work, std::string_view product) {
  if (!context.given.flag("launch")) return {};
  const auto client = transcripts::client_above(work.homes_keeper().homes().claude);
  if (context.environment("CLAUDECODE") || (client && *client))
    return fail(ErrorKind::refused, "--launch inside a running session would start a client in a client",
                "leave --launch out; the command to resume is printed");
  const std::string setting = product == "codex" ? "launch.codex" : "launch.claude";
  const std::string& program = context.settings.text(setting);
  if (is_on_path(context.environment, program)) return {};
  return fail(ErrorKind::not_found, fmt::format("--launch: there is no program {}", program),
              fmt::format("install it, or name it in the setting {}", setting));
}

Result<void> launch(const Context& context, std::string_view product, const std::string& folder, const std::string& session_id) {
  std::vector<std::string> words;
  if (product == "codex")
    words = {context.settings.text("launch.codex"), "resume", session_id};
  else
    words = {context.settings.text("launch.claude"), "--resume", session_id};
  for (const std::string& word : context.given.texts("launch_arguments")) words.push_back(word);
  if (!folder.empty() && ::chdir(folder.c_str()) != 0)
    return fail(system_error(fmt::format("the session is there, but {} cannot be entered", folder), errno));
  for (const char* name : kInherited) ::unsetenv(name);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // a program inherits what was blocked here
  std::signal(SIGXFSZ, SIG_DFL);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return fail(system_error(fmt::format("the session is there, but {} cannot be started", words.front()), errno));
}

}  // namespace holdfast::cli
