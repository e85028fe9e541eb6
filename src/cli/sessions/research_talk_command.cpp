// holdfast research chat|thinkdeep|ideate|consensus, and holdfast research ID [WORDS].

#include "base/files/file.h"
#include "cli/program/context.h"
#include "cli/program/exit_code.h"
#include "cli/program/stop_signals.h"
#include "cli/services/research_service.h"
#include "cli/sessions/session_text.h"
#include "session/kinds.h"
#include "session/query/lookup.h"
#include "tools/research/conversation_operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <atomic>

namespace holdfast::cli {

namespace {

constexpr std::size_t kMaxInput = 4 * 1024 * 1024;  // more than any prompt may have

// Ctrl-C while the model thinks ends the waiting, not the program: what was said is kept, and that is told.
struct Patience {
  std::atomic<bool> ended = false;
  std::unique_ptr<StopSignals> signals;  // the last member: its thread ends first
};

struct Talk {
  std::unique_ptr<Patience> patience = std::make_unique<Patience>();
  std::unique_ptr<session::Store> store;
  std::unique_ptr<ResearchService> service;
  threads::Who who;
};

Result<Talk> begin(const Context& context) {
  Talk talk;
  HF_TRY(talk.patience->signals, StopSignals::watch());
  talk.patience->signals->on_stop([patience = talk.patience.get()] { patience->ended = true; });
  talk.who.cancelled = [patience = talk.patience.get()] { return patience->ended.load(); };
  HF_TRY(talk.store, context.open_store());
  HF_TRY(talk.service, ResearchService::make(context, *talk.store));
  talk.who.principal = context.settings.text("principal");
  talk.who.client = "holdfast/" HOLDFAST_VERSION;
  return talk;
}

Result<std::string> thread_named(const Talk& talk, const std::string& id) {
  if (id.empty()) return std::string();
  HF_TRY(const session::SessionRecord record, session::find_session(*talk.store, talk.who.principal, id));
  return record.id;
}

// "-" alone: standard input. Before begin(): Ctrl-C while it is typed ends the program.
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

Result<void> say(const Context& context, Talk& talk, threads::ChatRequest request) {
  std::string streamed;
  const bool shows = !context.json && context.terminal.width > 0;
  if (shows)
    request.on_text = [&streamed](std::string_view piece) {
      streamed += piece;
      print(harmless(piece, false));
    };
  auto talked = talk.service->threads().chat(talk.who, request);
  if (!talked) return fail(before_anything(std::move(talked).error()));
  const threads::ChatOutcome& outcome = *talked;
  if (!streamed.empty() && outcome.failure) print("\n");
  if (outcome.failure) return fail(with_thread(*outcome.failure, outcome.thread_id));
  if (context.json) {
    print_json(JsonObject{{"thread_id", outcome.thread_id},
                          {"message_id", outcome.message_id},
                          {"message_count", outcome.message_count},
                          {"content", outcome.content},
                          {"provider", outcome.provider},
                          {"model", outcome.model}});
    return {};
  }
  // A retry begins the answer anew: then what was shown is not what was kept.
  if (streamed != outcome.content) print((streamed.empty() ? "" : "\n\n") + harmless(outcome.content, false));
  print("\n");
  for (const std::string& warning : outcome.warnings) print_note("warning: " + harmless(warning, true) + "\n");
  print_note(context.terminal.soft(fmt::format("holdfast research {} \"...\" goes on", outcome.thread_id)) + "\n");
  return {};
}

Result<void> show_step(const Context& context, const Result<threads::StepOutcome>& outcome) {
  if (!outcome) return fail(before_anything(outcome.error()));
  if (outcome->failure) return fail(with_thread(*outcome->failure, outcome->thread_id));
  JsonObject data = outcome->data;
  data["thread_id"] = outcome->thread_id;
  const auto content = find_string(data, "content");
  if (context.json)
    print_json(data);
  else if (content)
    print(harmless(*content, false) + "\n");
  else
    print(harmless(to_json_pretty(Json(data)), false) + "\n");
  for (const std::string& warning : outcome->warnings) print_note("warning: " + harmless(warning, true) + "\n");
  if (!context.json)
    print_note(context.terminal.soft(fmt::format("the same command with --thread {} goes on", outcome->thread_id)) + "\n");
  return {};
}

}  // namespace

Result<void> chat(Context& context) {
  const operations::Given& given = context.given;
  threads::ChatRequest request;
  HF_TRY(request.prompt, message_of(given.texts("words")));
  HF_TRY(Talk talk, begin(context));
  HF_TRY(request.thread_id, thread_named(talk, given.text("thread")));
  request.title = given.text("title");
  request.system_prompt = given.text("system");
  request.provider = given.text("provider");
  request.model = given.text("model");
  return say(context, talk, std::move(request));
}

Result<void> think_deep(Context& context) {
  const operations::Given& given = context.given;
  threads::ThinkdeepRequest request;
  HF_TRY(const std::string words, message_of(given.texts("words")));
  HF_TRY(Talk talk, begin(context));
  HF_TRY(request.thread_id, thread_named(talk, given.text("thread")));
  (request.thread_id.empty() ? request.topic : request.query) = words;
  request.provider = given.text("provider");
  request.max_depth = given.number("max_depth");
  return show_step(context, talk.service->threads().thinkdeep(talk.who, request));
}

Result<void> ideate(Context& context) {
  const operations::Given& given = context.given;
  threads::IdeateRequest request;
  HF_TRY(request.topic, message_of(given.texts("words")));
  HF_TRY(Talk talk, begin(context));
  HF_TRY(request.thread_id, thread_named(talk, given.text("thread")));
  if (const std::string action = given.text("action"); !action.empty()) request.action = action;
  request.provider = given.text("provider");
  request.perspectives = given.texts("perspectives");
  return show_step(context, talk.service->threads().ideate(talk.who, request));
}

Result<void> find_consensus(Context& context) {
  const operations::Given& given = context.given;
  threads::ConsensusRequest request;
  HF_TRY(request.prompt, message_of(given.texts("words")));
  HF_TRY(Talk talk, begin(context));
  HF_TRY(request.thread_id, thread_named(talk, given.text("thread")));
  request.title = given.text("title");
  request.system_prompt = given.text("system");
  request.providers = given.texts("providers");
  if (const std::string strategy = given.text("strategy"); !strategy.empty()) request.strategy = strategy;
  return show_step(context, talk.service->threads().consensus(talk.who, request));
}

Result<void> open_research(Context& context) {
  const std::vector<std::string> words = context.given.texts("words");
  threads::ChatRequest request;
  if (!words.empty()) {
    HF_TRY(request.prompt, message_of(words));
  }
  HF_TRY(Talk talk, begin(context));
  HF_TRY(const session::SessionRecord record,
         session::find_session(*talk.store, talk.who.principal, context.given.text("session")));
  if (record.kind == session::kResearch) return show_run(context, *talk.service, record);
  if (record.kind != session::kThread)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session", record.id, record.kind),
                fmt::format("holdfast sessions show {}", record.id));
  if (words.empty()) return show_thread(context, *talk.service, record, tools::kResumedMessages);
  request.thread_id = record.id;
  return say(context, talk, std::move(request));
}

}  // namespace holdfast::cli
