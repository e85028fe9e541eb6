// holdfast research chat|thinkdeep|ideate|consensus, and holdfast research ID [WORDS].
//
// Ctrl-C while the model thinks ends the waiting, not the program: what was said is kept, and that is told.

#include "cli/program/context.h"
#include "cli/program/exit_code.h"
#include "cli/sessions/session_text.h"
#include "session/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

namespace holdfast::cli {

namespace {

constexpr std::size_t kMaxInput = 4 * 1024 * 1024;  // more than any prompt may have

// "-" alone: standard input. Before SessionWork::perform: Ctrl-C while it is typed ends the program.
Result<std::string> message_of(const std::vector<std::string>& words) {
  if (words != std::vector<std::string>{"-"}) return fmt::format("{}", fmt::join(words, " "));
  std::string text;
  char buffer[8192];
  for (ssize_t got = 0; (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMaxInput) return fail(ErrorKind::too_large, "standard input is too long for a message");
  }
  return text;
}

// What was kept although the model did not answer.
Error with_thread(Error error, const std::string& thread) {
  if (error.kind == ErrorKind::cancelled) {
    return make_error(ErrorKind::cancelled, fmt::format("interrupted; what you wrote is kept in {}", thread),
                      fmt::format("holdfast research {} \"...\" goes on", thread), std::string(kInterrupted));
  }
  error.message += fmt::format("; what you wrote is kept in {}", thread);
  return error;
}

// Ctrl-C while another process had its turn on the thread: nothing was kept yet.
Error before_anything(Error error) {
  if (error.kind != ErrorKind::cancelled) return error;
  return make_error(ErrorKind::cancelled, "interrupted; nothing was changed", {}, std::string(kInterrupted));
}

// As the operations take it: the thread is {session}, what was typed stands under `words`.
operations::Given given_of(const Context& context, std::string_view words, const std::string& text) {
  operations::Given given = context.given;
  given.set(words, Json(text));
  if (const std::string thread = given.text("thread"); !thread.empty()) given.set("session", Json(thread));
  if (given.has("system")) given.set("system_prompt", Json(given.text("system")));
  if (const auto endpoints = given.texts("providers"); endpoints.empty()) given.remove("providers");
  return given;
}

// The facts, unless the model failed.
Result<operations::Facts> talk(SessionWork& work, std::string_view operation, const operations::Given& given) {
  auto facts = work.perform(operation, given);
  if (!facts) return fail(before_anything(std::move(facts).error()));
  auto failure = operations::take_failure(*facts);
  if (failure && !work.printed().empty()) print("\n");
  if (failure) return fail(with_thread(std::move(*failure), text_in(*facts, "thread_id")));
  return facts;
}

Result<void> say(const Context& context, SessionWork& work, const operations::Given& given) {
  if (!context.json && context.terminal.width > 0) work.print_answers();
  HF_TRY(const operations::Facts facts, talk(work, "chat", given));
  if (context.json) {
    JsonObject told;
    for (const std::string_view name : {"thread_id", "message_id", "message_count", "content", "provider", "model"})
      told[name] = facts.at(name);
    print_json(told);
    return {};
  }
  // A retry begins the answer anew: then what was shown is not what was kept.
  const std::string content = text_in(facts, "content");
  if (work.printed() != content) print((work.printed().empty() ? "" : "\n\n") + harmless(content, false));
  print("\n");
  print_warnings(facts);
  print_note(context.terminal.soft(fmt::format("holdfast research {} \"...\" goes on", text_in(facts, "thread_id"))) + "\n");
  return {};
}

Result<void> take_step(Context& context, std::string_view operation, std::string_view words, const std::string& text) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(operations::Facts facts, talk(*work, operation, given_of(context, words, text)));
  const std::string thread = text_in(facts, "thread_id");
  const JsonObject warned{{"warnings", to_json_array(texts_in(facts, "warnings"))}};
  facts.erase("warnings");
  facts["thread_id"] = thread;
  const auto content = find_string(facts, "content");
  if (context.json)
    print_json(facts);
  else if (content)
    print(harmless(*content, false) + "\n");
  else
    print(harmless(to_json_pretty(Json(facts)), false) + "\n");
  print_warnings(warned);
  if (!context.json) print_note(context.terminal.soft(fmt::format("the same command with --thread {} goes on", thread)) + "\n");
  return {};
}

}  // namespace

Result<void> chat(Context& context) {
  HF_TRY(const std::string prompt, message_of(context.given.texts("words")));
  HF_TRY(auto work, SessionWork::begin(context));
  return say(context, *work, given_of(context, "prompt", prompt));
}

Result<void> think_deep(Context& context) {
  HF_TRY(const std::string words, message_of(context.given.texts("words")));
  return take_step(context, "thinkdeep", context.given.text("thread").empty() ? "topic" : "query", words);
}

Result<void> ideate(Context& context) {
  HF_TRY(const std::string topic, message_of(context.given.texts("words")));
  if (context.given.has("action")) context.given.set("ideate_action", Json(context.given.text("action")));
  return take_step(context, "ideate", "topic", topic);
}

Result<void> find_consensus(Context& context) {
  HF_TRY(const std::string prompt, message_of(context.given.texts("words")));
  return take_step(context, "consensus", "prompt", prompt);
}

Result<void> open_research(Context& context) {
  const std::vector<std::string> words = context.given.texts("words");
  std::string prompt;
  if (!words.empty()) {
    HF_TRY(prompt, message_of(words));
  }
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const session::SessionRecord record, work->record());
  if (record.kind != session::kResearch && record.kind != session::kThread)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session", record.id, record.kind),
                fmt::format("holdfast sessions show {}", record.id));
  if (record.kind == session::kResearch || words.empty()) return show_where_it_stands(*work, context, record);
  return say(context, *work, operations::Given({{"session", record.id}, {"prompt", prompt}}));
}

}  // namespace holdfast::cli
