// chat, thinkdeep, ideate, consensus, thread-create, thread-append, thread-list, thread-get (threads-and-research §9).

#include "session/kinds.h"
#include "tools/research/conversation_operations.h"
#include "tools/research/research_actions.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"
#include "tools/spoken_progress.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

using Arguments = std::vector<std::string>;

// nullopt: the client was asked for its roots.
Result<std::optional<threads::Who>> who_calls(ResearchCall& call, bool makes_something) {
  threads::Who who;
  who.principal = call.principal();
  who.cancelled = [asked = &call.call] { return asked->cancelled(); };
  who.project = call.text("project");
  if (!makes_something) return who;
  HF_TRY(const std::optional<Place> place, place_of(call));
  if (!place) return std::nullopt;
  who.client = place->client;
  who.root_uri = place->root_uri;
  who.root_name = place->root_name;
  return who;
}

ResearchAnswer asked_for_roots() {
  ResearchAnswer answer;
  answer.input_required = true;
  return answer;
}

// An id that is given must be one of ours before anything is stored: a chat with an unknown id does not begin another thread.
Result<void> check_thread(ResearchCall& call) {
  if (!call.arguments().contains("thread_id")) return {};
  HF_CHECK(named_session(call, "thread_id", session::kThread, Deleted::refuse));
  return {};
}

JsonObject tokens_json(const model::Tokens& tokens) {
  return {{"in", tokens.in}, {"out", tokens.out}, {"estimated", tokens.estimated}};
}

Result<ResearchAnswer> chat(ResearchCall& call) {
  HF_CHECK(check_thread(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, !call.arguments().contains("thread_id")));
  if (!who) return asked_for_roots();
  threads::ChatRequest request;
  request.prompt = call.text("prompt");
  request.thread_id = call.text("thread_id");
  request.title = call.text("title");
  request.system_prompt = call.text("system_prompt");
  request.provider = call.text("provider");
  request.model = call.text("model");
  request.client_msg_id = call.text("client_msg_id");
  if (const Json* temperature = find(call.arguments(), "temperature")) request.temperature = temperature->to_number<double>();
  request.max_tokens = find_int(call.arguments(), "max_tokens");
  SpokenProgress spoken(call.call);
  request.on_text = [&spoken](std::string_view piece) { spoken.add(piece); };
  HF_TRY(threads::ChatOutcome outcome, call.room.threads.chat(*who, request));
  ResearchAnswer answer;
  answer.warnings = std::move(outcome.warnings);
  answer.data = {{"thread_id", outcome.thread_id},
                 {"message_id", outcome.message_id},
                 {"user_message_id", outcome.user_message_id},
                 {"message_count", outcome.message_count},
                 {"created", outcome.created}};
  if (outcome.unarchived) answer.data["unarchived"] = true;
  if (outcome.replayed) answer.data["replayed"] = true;
  answer.failure = std::move(outcome.failure);
  if (answer.failure) return answer;
  answer.data["content"] = outcome.content;
  answer.data["provider"] = outcome.provider;
  answer.data["model"] = outcome.model;
  answer.data["tokens"] = tokens_json(outcome.tokens);
  return answer;
}

Result<ResearchAnswer> stepped(Result<threads::StepOutcome> outcome) {
  if (!outcome) return fail(std::move(outcome).error());
  ResearchAnswer answer;
  answer.data = std::move(outcome->data);
  if (!outcome->thread_id.empty()) answer.data["thread_id"] = outcome->thread_id;
  answer.warnings = std::move(outcome->warnings);
  answer.failure = std::move(outcome->failure);
  return answer;
}

// thinkdeep and ideate begin with a topic or go on with a thread.
Result<void> check_topic(ResearchCall& call) {
  if (!call.text("topic").empty() || !call.text("thread_id").empty()) return check_thread(call);
  return fail(ErrorKind::invalid, "topic or thread_id is required", "a topic begins a thread, thread_id continues one",
              "MISSING_REQUIRED");
}

Result<ResearchAnswer> thinkdeep(ResearchCall& call) {
  HF_CHECK(check_topic(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, !call.arguments().contains("thread_id")));
  if (!who) return asked_for_roots();
  threads::ThinkdeepRequest request;
  request.topic = call.text("topic");
  request.thread_id = call.text("thread_id");
  request.query = call.text("query");
  request.provider = call.text("provider");
  request.max_depth = find_int(call.arguments(), "max_depth");
  return stepped(call.room.threads.thinkdeep(*who, request));
}

Result<ResearchAnswer> ideate(ResearchCall& call) {
  HF_CHECK(check_topic(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, !call.arguments().contains("thread_id")));
  if (!who) return asked_for_roots();
  threads::IdeateRequest request;
  request.topic = call.text("topic");
  request.thread_id = call.text("thread_id");
  request.provider = call.text("provider");
  if (auto action = find_string(call.arguments(), "ideate_action")) request.action = *action;
  request.perspectives = texts_of(call.arguments(), "perspectives");
  request.criteria = texts_of(call.arguments(), "criteria");
  request.ids = texts_of(call.arguments(), "idea_ids");
  request.count = find_int(call.arguments(), "count");
  return stepped(call.room.threads.ideate(*who, request));
}

Result<ResearchAnswer> consensus(ResearchCall& call) {
  HF_CHECK(check_thread(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, !call.arguments().contains("thread_id")));
  if (!who) return asked_for_roots();
  const JsonObject& arguments = call.arguments();
  threads::ConsensusRequest request;
  request.prompt = call.text("prompt");
  request.thread_id = call.text("thread_id");
  request.title = call.text("title");
  request.system_prompt = call.text("system_prompt");
  if (auto strategy = find_string(arguments, "strategy")) request.strategy = *strategy;
  request.providers = texts_of(arguments, "providers");
  request.min_responses = find_int(arguments, "min_responses").value_or(request.min_responses);
  request.require_all = call.flag("require_all", request.require_all);
  request.timeout_per_provider_s = find_int(arguments, "timeout_per_provider").value_or(request.timeout_per_provider_s);
  request.max_concurrent = find_int(arguments, "max_concurrent").value_or(request.max_concurrent);
  return stepped(call.room.threads.consensus(*who, request));
}

Result<ResearchAnswer> create(ResearchCall& call) {
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, true));
  if (!who) return asked_for_roots();
  threads::NewThread thread;
  if (auto kind = find_string(call.arguments(), "thread_kind")) thread.kind = *kind;
  thread.title = call.text("title");
  thread.system_prompt = call.text("system_prompt");
  thread.provider = call.text("provider");
  if (const JsonObject* metadata = find_object(call.arguments(), "metadata")) thread.metadata = *metadata;
  HF_TRY(const session::SessionRecord record, call.room.threads.create(*who, thread));
  ResearchAnswer answer;
  answer.data = {{"thread_id", record.id}, {"thread", threads::thread_json(record)}};
  return answer;
}

Result<ResearchAnswer> append(ResearchCall& call) {
  HF_CHECK(check_thread(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, false));
  HF_TRY(const threads::Threads::Added added, call.room.threads.append(*who, call.text("thread_id"), call.text("role"),
                                                                       call.text("content"), call.text("client_msg_id")));
  ResearchAnswer answer;
  answer.data = {{"thread_id", added.record.id},
                 {"message_id", added.message.id},
                 {"seq", added.message.seq},
                 {"message_count", added.record.count_of("message")}};
  if (added.unarchived) answer.data["unarchived"] = true;
  if (added.replayed) answer.data["replayed"] = true;
  return answer;
}

Result<ResearchAnswer> get_thread(ResearchCall& call) {
  HF_CHECK(check_thread(call));
  HF_TRY(const std::optional<threads::Who> who, who_calls(call, false));
  HF_TRY(const std::size_t limit, limit_of(call.arguments(), kListLimit, kMaxList));
  HF_TRY(const threads::MessagePage page,
         call.room.threads.get(*who, call.text("thread_id"), limit, find_int(call.arguments(), "before_seq")));
  ResearchAnswer answer;
  answer.data = page_json(page);
  return answer;
}

Result<ResearchAnswer> list_threads(ResearchCall& call) {
  JsonObject filters = call.arguments();
  filters["type"] = session::kThread;
  HF_TRY(session::Query query, read_filters(filters, call.now));
  return list_of(call, std::move(query), "threads");
}

}  // namespace

std::vector<ResearchAction> thread_actions() {
  return {
      {"chat",
       {"prompt"},
       {"thread_id", "title", "system_prompt", "provider", "model", "temperature", "max_tokens", "client_msg_id", "project",
        "root"},
       chat},
      {"thinkdeep", {}, {"topic", "thread_id", "query", "max_depth", "provider", "project", "root"}, thinkdeep},
      {"ideate",
       {},
       {"topic", "thread_id", "ideate_action", "perspectives", "criteria", "idea_ids", "count", "provider", "project", "root"},
       ideate},
      {"consensus",
       {"prompt"},
       {"thread_id", "title", "system_prompt", "providers", "strategy", "min_responses", "require_all", "timeout_per_provider",
        "max_concurrent", "project", "root"},
       consensus},
      {"thread-create", {}, {"title", "system_prompt", "provider", "thread_kind", "metadata", "project", "root"}, create},
      {"thread-append", {"thread_id", "role", "content"}, {"client_msg_id"}, append},
      {"thread-list",
       {},
       {"status", "kind", "visibility", "q", "project", "pinned", "sort", "updated_since", "updated_before", "limit", "cursor",
        "root"},
       list_threads},
      {"thread-get", {"thread_id"}, {"limit", "before_seq"}, get_thread},
  };
}

}  // namespace holdfast::tools
