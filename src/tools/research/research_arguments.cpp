// Every argument of every action of `research`, once.

#include "kinds/threads/threads.h"
#include "operations/sessions/list_filters.h"
#include "session/limits.h"
#include "tools/argument_schema.h"
#include "tools/research/research_tool.h"
#include "tools/session/confirmation.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

constexpr std::string_view kThreadPattern = "^thread-[a-zA-Z0-9]{8,16}$";
constexpr std::string_view kResearchPattern = "^research-[a-zA-Z0-9]{8,16}$";
constexpr std::string_view kEitherPattern = "^(thread|research)-[a-zA-Z0-9]{8,16}$";
constexpr std::size_t kMostIds = 50;  // one question names every one of them
constexpr std::int64_t kMaxSequence = 1'000'000'000;

JsonObject text_between(std::size_t least, std::size_t most, std::string_view description) {
  return {{"type", "string"}, {"minLength", least}, {"maxLength", most}, {"description", description}};
}

JsonObject id(std::string_view pattern) {
  return {{"type", "string"}, {"pattern", pattern}};
}

JsonObject array_of(JsonObject items, std::string_view description) {
  return {{"type", "array"}, {"items", std::move(items)}, {"description", description}};
}

JsonObject ids(std::string_view pattern) {
  JsonObject schema = array_of(id(pattern), "several, with one question for all");
  schema["minItems"] = 1;
  schema["maxItems"] = kMostIds;
  return schema;
}

void add_thread_arguments(JsonObject& all) {
  all["prompt"] = text_between(1, threads::kMaxPromptCharacters, "what to say or ask");
  all["topic"] = text_between(1, threads::kMaxPromptCharacters, "thinkdeep, ideate: what it is about");
  all["title"] = text_between(0, threads::kMaxTitleCharacters, "of a new thread or run");
  all["system_prompt"] = text_between(0, threads::kMaxPromptCharacters, "of a new thread");
  all["provider"] = argument::text("a configured model endpoint");
  all["model"] = argument::text("instead of the endpoint's own");
  all["temperature"] = JsonObject{{"type", "number"}, {"minimum", 0}, {"maximum", 2}};
  all["max_tokens"] = argument::number(1, kMaxSequence, "of the answer");
  all["client_msg_id"] = text_between(1, session::kMaxIdempotencyKeyBytes / 2, "the same message sent twice is stored once");
  all["role"] = argument::choice({"user", "assistant", "system"});
  all["content"] = text_between(1, threads::kMaxPromptCharacters, "the message");
  all["metadata"] = JsonObject{{"type", "object"}};
  all["thread_kind"] = argument::choice({"chat", "thinkdeep", "ideate", "consensus"}, "thread-create: what it is for");
  all["before_seq"] = argument::number(1, kMaxSequence, "messages before this one");
  all["max_depth"] = argument::number(1, 50, "thinkdeep: steps");
  all["ideate_action"] = argument::choice({"generate", "cluster", "score", "select", "elaborate", "status"});
  all["perspectives"] = array_of(argument::text(), "ideate");
  all["criteria"] = array_of(argument::text(), "ideate: score");
  all["idea_ids"] = array_of(argument::text(), "ideate: ideas or clusters");
  all["count"] = argument::number(1, 50, "ideate: how many");
  all["providers"] = array_of(argument::text(), "consensus: which endpoints [all]");
  all["strategy"] = argument::choice({"all_responses", "synthesize", "majority", "first_valid"});
  all["min_responses"] = argument::number(1, 100, "consensus");
  all["require_all"] = argument::flag("consensus: every provider must answer");
  all["timeout_per_provider"] = argument::number(1, 3600, "consensus: seconds");
}

void add_run_arguments(JsonObject& all) {
  all["deep_research_action"] = argument::choice({"start", "resume", "continue"});
  all["query"] = text_between(1, research::kMaxQueryCharacters, "deep-research: the question; thinkdeep: what to look at next");
  for (const research::LimitInfo& limit : research::kLimits)
    all[limit.name] = argument::number(limit.lowest, limit.highest, fmt::format("{} [{}]", limit.help, limit.fallback));
  all["follow_links"] = argument::flag("read the pages that a search found [true]");
  all["mode"] = argument::choice({"general", "academic", "technical"});
  all["clarify"] = argument::choice({"ask", "infer", "off"}, "ask the user before the run starts, or assume and say so [infer]");
  all["search"] = array_of(argument::text(), "search providers [all]");
  all["wait"] = argument::flag("answer when the run is over");
  all["wait_timeout_s"] = argument::number(0, 86'400, "wait: at most so long");
  all["format"] = argument::choice({"markdown", "json"});
  all["completed_only"] = argument::flag("deep-research-list: status completed");
  all["dry_run"] = argument::flag("cleanup: only say what would happen");
}

}  // namespace

JsonObject argument_schemas() {
  JsonObject all{{"thread_id", id(kThreadPattern)},
                 {"research_id", id(kResearchPattern)},
                 {"id", id(kEitherPattern)},
                 {"thread_ids", ids(kThreadPattern)},
                 {"research_ids", ids(kResearchPattern)},
                 {"status", JsonObject{{"type", JsonArray{"string", "array"}}, {"items", argument::text()}}},
                 {"kind", JsonObject{{"type", JsonArray{"string", "array"}}, {"items", argument::text()}}},
                 {"visibility", JsonObject{{"type", JsonArray{"string", "array"}}, {"items", argument::text()}}},
                 {"q", argument::text("part of title or opening")},
                 {"project", argument::text()},
                 {"pinned", argument::flag("only those, or only the others")},
                 {"sort", argument::choice({"updated_at", "created_at", "due_at"})},
                 {"updated_since", argument::text("3d, 2026-07-01 or ISO 8601")},
                 {"updated_before", argument::text("the same")},
                 {"limit", argument::number(1, operations::kMaxList, fmt::format("of a page [{}]", operations::kListLimit))},
                 {"cursor", argument::text("next_cursor of the page before")},
                 {"root", argument::text("project root, a file URI or absolute path")}};
  add_thread_arguments(all);
  add_run_arguments(all);
  for (const auto& argument : confirmation_arguments()) all.insert(argument);
  for (const char* taken : {"message_ids", "source_ids"}) all[taken] = array_of(argument::text(), "redact: what to take away");
  all["pattern"] = argument::text("redact: this text, wherever it stands");
  all["regex"] = argument::flag("pattern is an RE2 expression");
  return all;
}

}  // namespace holdfast::tools
