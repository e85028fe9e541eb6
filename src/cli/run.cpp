#include "cli/run.h"

#include "cli/commands.h"
#include "cli/exit_code.h"

#include <algorithm>
#include <exception>
#include <string_view>

namespace holdfast::cli {

namespace {

Result<void> run_command(Context& context) {
  switch (context.line.command) {
    case Command::mcp:
      return run_mcp(context);
    case Command::serve:
      return run_serve(context);
    case Command::sessions_list:
      return list_sessions(context);
    case Command::sessions_show:
      return show_session(context);
    case Command::store_info:
      return show_store(context);
    case Command::store_verify:
      return verify_store(context);
    case Command::token_add:
      return add_token(context);
    case Command::token_list:
      return list_tokens(context);
    case Command::token_revoke:
      return revoke_token(context);
    case Command::login:
      return print_login(context);
    case Command::completion:
      return print_completion(context);
  }
  return fail(ErrorKind::internal, "a command without a function");
}

Result<void> run_line(int count, const char* const* words) {
  HF_TRY(auto read, read_command_line(count, words));
  if (auto* printed = std::get_if<Printed>(&read)) {
    print(printed->text);
    return {};
  }
  HF_TRY(Context context, Context::make(std::move(std::get<CommandLine>(read)), process_environment()));
  return run_command(context);
}

}  // namespace

int run(int count, const char* const* words) {
  // Known before the line is read, so that a mistake in it is told in the right form too.
  const bool json = std::any_of(words, words + count, [](std::string_view word) { return word == "--json"; });
  try {
    auto done = run_line(count, words);
    if (done) return 0;
    print_error(done.error(), json);
    return exit_code(done.error().kind);
  } catch (const std::exception& problem) {  // out of memory, or a defect: said in words, not by abort()
    print_error(make_error(ErrorKind::internal, problem.what()), json);
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace holdfast::cli
