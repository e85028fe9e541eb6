#include "cli/program/run.h"

#include "cli/program/context.h"
#include "cli/program/exit_code.h"
#include "operations/operation.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string_view>

namespace holdfast::cli {

namespace {

Result<void> run_line(int count, const char* const* words) {
  HF_TRY(auto read, read_command_line(count, words));
  if (auto* printed = std::get_if<Printed>(&read)) {
    print(printed->text);
    return {};
  }
  HF_TRY(Context context, Context::make(std::move(std::get<CommandLine>(read)), process_environment()));
  auto done = context.command->run(context);
  if (!done) operations::put_in_spelling_of(done.error(), [&](std::string_view name) { return spelled(context.command, name); });
  return done;
}

}  // namespace

int run(int count, const char* const* words) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is an error of the write, not the end of the program
  // Known before the line is read, so that a mistake in it is told in the right form too.
  const std::string_view prefix = error_prefix(count > 0 ? program_called(words[0]) : Program::holdfast);
  const bool json = std::any_of(words, words + count, [](std::string_view word) { return word == "--json"; });
  try {
    auto done = run_line(count, words);
    if (done) done = what_was_lost();
    if (done) return 0;
    print_error(done.error(), json, prefix);
    return exit_code(done.error());
  } catch (const std::exception& problem) {  // out of memory, or a defect: said in words, not by abort()
    print_error(make_error(ErrorKind::internal, problem.what()), json, prefix);
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace holdfast::cli
