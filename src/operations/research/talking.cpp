// Threads (threads-and-research §9): talking to models, keeping turns that were made elsewhere, and reading what was said.
//
// What a person said is kept before a model is asked. When the model then fails, the operation has failed and has changed
// something: its facts say what, with the error among them (with_failure).

#include "kinds/threads/threads.h"
#include "operations/context.h"
#include "operations/operation.h"
#include "operations/sessions/list_filters.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_item.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/known_damage.h"

#include <fmt/format.h>

namespace holdfast::operations {

namespace {

using session::SessionRecord;
using enum Parameter::Type;

constexpr std::int64_t kMessageLimit = 50;
constexpr std::int64_t kResumedMessages = 20;  // threads-and-research §8
constexpr std::size_t kExportPage = 500;       // messages read at a time

struct Talk {
  threads::Threads* threads;
  threads::Who who;
  std::string thread;  // empty: a new one
};

// A session that is named must be one of ours before anything is stored: a chat with an unknown id does not begin another thread.
// What begins a thread belongs to a project, which may have to be asked for.
Result<Talk> begin_talk(Context& context, const Given& given) {
  Talk talk{};
  if (given.has("session")) {
    HF_TRY(const SessionRecord record, record_named(context, given.text("session")));
    talk.thread = record.id;
  }
  talk.who.principal = context.identity().principal;
  talk.who.cancelled = context.cancelled();
  talk.who.project = given.text("project");
  if (talk.thread.empty()) {
    HF_TRY(Place place, context.place());
    talk.who.client = std::move(place.client);
    talk.who.root_uri = std::move(place.root_uri);
    talk.who.root_name = std::move(place.root_name);
  }
  HF_TRY(talk.threads, context.threads());
  return talk;
}

Facts with_outcome(Facts facts, const std::vector<std::string>& warnings, const std::optional<Error>& failure) {
  if (!warnings.empty()) facts["warnings"] = to_json_array(warnings);
  return failure ? with_failure(std::move(facts), *failure) : facts;
}

constexpr Parameter kInThread{.name = "session", .help = "go on with this thread", .may_be_empty = false};
constexpr Parameter kProjectName{.name = "project"};

constexpr std::array kChatParameters{Parameter{.name = "prompt", .required = true},
                                     kInThread,
                                     Parameter{.name = "title"},
                                     Parameter{.name = "system_prompt"},
                                     Parameter{.name = "provider"},
                                     Parameter{.name = "model"},
                                     Parameter{.name = "temperature", .type = json},
                                     Parameter{.name = "max_tokens", .type = number},
                                     Parameter{.name = "client_msg_id"},
                                     kProjectName};

Result<Facts> chat(Context& context, const Given& given) {
  HF_TRY(const Talk talk, begin_talk(context, given));
  threads::ChatRequest request;
  request.prompt = given.text("prompt");
  request.thread_id = talk.thread;
  request.title = given.text("title");
  request.system_prompt = given.text("system_prompt");
  request.provider = given.text("provider");
  request.model = given.text("model");
  request.client_msg_id = given.text("client_msg_id");
  if (const Json* temperature = given.values().if_contains("temperature")) request.temperature = temperature->to_number<double>();
  request.max_tokens = given.number("max_tokens");
  request.on_text = context.listener();
  HF_TRY(const threads::ChatOutcome outcome, talk.threads->chat(talk.who, request));
  Facts facts{{"thread_id", outcome.thread_id},
              {"message_id", outcome.message_id},
              {"user_message_id", outcome.user_message_id},
              {"message_count", outcome.message_count},
              {"created", outcome.created}};
  if (outcome.unarchived) facts["unarchived"] = true;
  if (outcome.replayed) facts["replayed"] = true;
  if (!outcome.failure) {
    facts["content"] = outcome.content;
    facts["provider"] = outcome.provider;
    facts["model"] = outcome.model;
    facts["tokens"] = JsonObject{{"in", outcome.tokens.in}, {"out", outcome.tokens.out}, {"estimated", outcome.tokens.estimated}};
  }
  return with_outcome(std::move(facts), outcome.warnings, outcome.failure);
}

Result<Facts> stepped(Result<threads::StepOutcome> outcome) {
  if (!outcome) return fail(std::move(outcome).error());
  Facts facts = std::move(outcome->data);
  if (!outcome->thread_id.empty()) facts["thread_id"] = outcome->thread_id;
  return with_outcome(std::move(facts), outcome->warnings, outcome->failure);
}

// thinkdeep and ideate begin with a topic or go on with a thread.
Result<void> check_topic(const Given& given) {
  if (!given.text("topic").empty() || given.has("session")) return {};
  return fail(ErrorKind::invalid, "topic or thread_id is required", "a topic begins a thread, thread_id continues one",
              "MISSING_REQUIRED");
}

constexpr std::array kThinkParameters{
    Parameter{.name = "topic"},    kInThread,    Parameter{.name = "query"},
    Parameter{.name = "provider"}, kProjectName, Parameter{.name = "max_depth", .type = number}};

Result<Facts> think_deep(Context& context, const Given& given) {
  HF_CHECK(check_topic(given));
  HF_TRY(const Talk talk, begin_talk(context, given));
  return stepped(talk.threads->thinkdeep(
      talk.who, {given.text("topic"), talk.thread, given.text("query"), given.text("provider"), given.number("max_depth")}));
}

constexpr std::array kIdeateParameters{Parameter{.name = "topic"},
                                       kInThread,
                                       Parameter{.name = "ideate_action"},
                                       Parameter{.name = "perspectives", .type = texts},
                                       Parameter{.name = "criteria", .type = texts},
                                       Parameter{.name = "idea_ids", .type = texts},
                                       Parameter{.name = "count", .type = number},
                                       Parameter{.name = "provider"},
                                       kProjectName};

Result<Facts> ideate(Context& context, const Given& given) {
  HF_CHECK(check_topic(given));
  HF_TRY(const Talk talk, begin_talk(context, given));
  threads::IdeateRequest request;
  request.topic = given.text("topic");
  request.thread_id = talk.thread;
  request.provider = given.text("provider");
  if (given.has("ideate_action")) request.action = given.text("ideate_action");
  request.perspectives = given.texts("perspectives");
  request.criteria = given.texts("criteria");
  request.ids = given.texts("idea_ids");
  request.count = given.number("count");
  return stepped(talk.threads->ideate(talk.who, request));
}

constexpr std::array kConsensusParameters{Parameter{.name = "prompt", .required = true},
                                          kInThread,
                                          Parameter{.name = "title"},
                                          Parameter{.name = "system_prompt"},
                                          Parameter{.name = "providers", .type = texts},
                                          Parameter{.name = "strategy"},
                                          Parameter{.name = "min_responses", .type = number},
                                          Parameter{.name = "require_all", .type = choice},
                                          Parameter{.name = "timeout_per_provider", .type = number},
                                          Parameter{.name = "max_concurrent", .type = number},
                                          kProjectName};

Result<Facts> find_consensus(Context& context, const Given& given) {
  HF_TRY(const Talk talk, begin_talk(context, given));
  threads::ConsensusRequest request;
  request.prompt = given.text("prompt");
  request.thread_id = talk.thread;
  request.title = given.text("title");
  request.system_prompt = given.text("system_prompt");
  if (given.has("strategy")) request.strategy = given.text("strategy");
  request.providers = given.texts("providers");
  request.min_responses = given.number("min_responses", request.min_responses);
  request.require_all = given.flag("require_all", request.require_all);
  request.timeout_per_provider_s = given.number("timeout_per_provider", request.timeout_per_provider_s);
  request.max_concurrent = given.number("max_concurrent", request.max_concurrent);
  return stepped(talk.threads->consensus(talk.who, request));
}

constexpr std::array kNewThreadParameters{Parameter{.name = "thread_kind"},
                                          Parameter{.name = "title"},
                                          Parameter{.name = "system_prompt"},
                                          Parameter{.name = "provider"},
                                          Parameter{.name = "metadata", .type = json},
                                          kProjectName};

Result<Facts> create_thread(Context& context, const Given& given) {
  HF_TRY(const Talk talk, begin_talk(context, given));
  threads::NewThread thread;
  if (given.has("thread_kind")) thread.kind = given.text("thread_kind");
  thread.title = given.text("title");
  thread.system_prompt = given.text("system_prompt");
  thread.provider = given.text("provider");
  if (const JsonObject* metadata = find_object(given.values(), "metadata")) thread.metadata = *metadata;
  HF_TRY(const SessionRecord record, talk.threads->create(talk.who, thread));
  return Facts{{"thread_id", record.id}, {"thread", threads::thread_json(record)}};
}

constexpr std::array kAppendParameters{kRecord, Parameter{.name = "role", .required = true},
                                       Parameter{.name = "content", .required = true}, Parameter{.name = "client_msg_id"}};

Result<Facts> append_message(Context& context, const Given& given) {
  HF_TRY(const Talk talk, begin_talk(context, given));
  HF_TRY(const threads::Threads::Added added,
         talk.threads->append(talk.who, talk.thread, given.text("role"), given.text("content"), given.text("client_msg_id")));
  Facts facts{{"thread_id", added.record.id},
              {"message_id", added.message.id},
              {"seq", added.message.seq},
              {"message_count", added.record.count_of("message")}};
  if (added.unarchived) facts["unarchived"] = true;
  if (added.replayed) facts["replayed"] = true;
  return facts;
}

JsonArray messages_json(const std::vector<threads::Message>& messages) {
  JsonArray all;
  for (const threads::Message& message : messages) all.push_back(threads::message_json(message));
  return all;
}

constexpr std::array kPageParameters{
    kRecord, Parameter{.name = "limit", .type = number, .least = 1},
    Parameter{.name = "before_seq", .type = number, .help = "messages before this one", .least = kAnyNumber}};

// The thread with its last messages, or those before {before_seq}.
template <std::int64_t usual>
Result<Facts> show_messages(Context& context, const Given& given) {
  HF_TRY(const std::size_t limit, limit_of(given, usual, kMaxItems));
  HF_TRY(const Talk talk, begin_talk(context, given));
  HF_TRY(const threads::MessagePage page, talk.threads->get(talk.who, talk.thread, limit, given.number("before_seq")));
  Facts facts{{"thread", threads::thread_json(page.record)}, {"messages", messages_json(page.messages)}};
  facts["has_earlier"] = page.before_seq.has_value();
  if (page.before_seq) facts["before_seq"] = *page.before_seq;
  facts["session"] = session_item(page.record, context.now(), context.policy());
  return facts;
}

constexpr std::array kDocumentParameters{kRecord, Parameter{.name = "format"}};

Result<Facts> export_thread(Context& context, const Given& given) {
  HF_TRY(const std::string format, document_format(given));
  HF_TRY(const Talk talk, begin_talk(context, given));
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const SessionRecord record, store->get(talk.thread));
  Facts facts{{"sessionId", record.id}, {"format", format}};
  if (format == "markdown") {
    HF_TRY(facts["content"], threads::export_markdown(*store, record));
    return facts;
  }
  std::vector<JsonArray> pages;  // newest first
  std::optional<std::int64_t> before;
  do {
    HF_TRY(const threads::MessagePage page, talk.threads->get(talk.who, record.id, kExportPage, before));
    pages.push_back(messages_json(page.messages));
    before = page.before_seq;
  } while (before);
  JsonArray all;
  for (auto page = pages.rbegin(); page != pages.rend(); ++page)
    for (Json& message : *page) all.push_back(std::move(message));
  facts["content"] = to_json_pretty(JsonObject{{"thread", threads::thread_json(record)}, {"messages", std::move(all)}});
  return facts;
}

constexpr std::array kForkParameters{
    kRecord, Parameter{.name = "seq", .type = number, .help = "fork: up to this message [the last]", .least = kAnyNumber}};

Result<Facts> fork_thread(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, record_named(context, given.text("session")));
  HF_TRY(const Talk talk, begin_talk(context, given));
  HF_TRY(const SessionRecord forked, talk.threads->fork(talk.who, record.id, given.number("seq", record.highest_number(""))));
  return Facts{{"sessionId", forked.id}, {"session", session_item(forked, context.now(), context.policy())}};
}

Result<Facts> list_threads(Context& context, const Given& given) {
  return list_of_kind(context, given, session::kThread, "threads");
}

constexpr std::array kTalking{
    outward(adds("chat", "say something to a model; the thread is kept", kChatParameters, chat)),
    outward(adds("thinkdeep", "one step of an investigation", kThinkParameters, think_deep)),
    outward(adds("ideate", "ideas: generate, cluster, score, select", kIdeateParameters, ideate)),
    outward(adds("consensus", "ask several models and compare", kConsensusParameters, find_consensus)),
    adds("thread create", "a thread without a message", kNewThreadParameters, create_thread),
    adds("thread append", "keep a turn that was made elsewhere", kAppendParameters, append_message),
    reads("thread list", "threads, newest first", kFilterParameters, list_threads),
};

constexpr std::array kThreadOperations{
    of_kind(session::kThread, reads("thread get", "a thread and its messages", kPageParameters, show_messages<kMessageLimit>)),
    of_kind(session::kThread,
            reads("thread resume", "where it stands: the last messages", kPageParameters, show_messages<kResumedMessages>)),
    of_kind(session::kThread, reads("thread export", "as a document", kDocumentParameters, export_thread)),
    of_kind(session::kThread, adds("thread fork", "a new thread with the messages so far", kForkParameters, fork_thread)),
};

}  // namespace

Result<std::string> document_format(const Given& given) {
  const std::string format = given.has("format") ? given.text("format") : "markdown";
  if (format == "markdown" || format == "json") return format;
  return fail(ErrorKind::invalid, fmt::format("there is no format {}", format), "markdown or json", "invalid_argument");
}

std::span<const Operation> talking_operations() {
  return kTalking;
}

std::span<const Operation> thread_operations() {
  return kThreadOperations;
}

}  // namespace holdfast::operations
