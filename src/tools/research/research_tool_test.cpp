// The research tool as a client sees it, over the real store, threads and runs; models answer from a script.

#include "tools/research/research_tool.h"

#include "kinds/research/sources/providers.h"
#include "model/test_models.h"
#include "session/life/sweep.h"
#include "tools/research/test_workers.h"
#include "tools/test_tool_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace holdfast::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A service that is down.
class DeadProvider final : public research::SearchProvider {
 public:
  std::string_view name() const override { return "dead"; }
  Result<std::vector<research::Found>> search(const research::SearchAsk&) override {
    return fail(ErrorKind::unavailable, "dead is down");
  }
  Result<void> health() override { return fail(ErrorKind::unavailable, "dead is down"); }
};

struct ResearchToolTest : testing::Test, ToolServer {
  ResearchToolTest() {
    add_core_operations();
    calls.open = [this](session::Store& seen) {
      return Conversations{threads::Threads::make(seen, models), std::make_unique<research::Research>(over(seen))};
    };
    calls.models = &models;
    EXPECT_TRUE(server.open());
    EXPECT_TRUE(add_research_tool(server, rooms));
  }
  ~ResearchToolTest() override {
    workers.stop();
    pool.close();
  }

  JsonObject call(JsonObject arguments, const mcp::Caller& from = caller_of()) {
    const JsonObject result = call_tool("research", std::move(arguments), from);
    if (!find_object(result, "structuredContent")) {
      ADD_FAILURE() << to_json(result);
      return {};
    }
    JsonObject envelope = *find_object(result, "structuredContent");
    EXPECT_EQ(find_string(find_array(result, "content")->back().as_object(), "text"), to_json(envelope));
    EXPECT_EQ(find_bool(result, "isError").value_or(false), !*find_bool(envelope, "success"));
    for (const char* member : {"data", "error", "notices", "meta"}) EXPECT_TRUE(envelope.contains(member)) << member;
    return envelope;
  }
  JsonObject data(JsonObject arguments, const mcp::Caller& from = caller_of()) {
    const JsonObject envelope = call(std::move(arguments), from);
    if (!find_object(envelope, "data")) ADD_FAILURE() << to_json(envelope);
    return find_object(envelope, "data") ? *find_object(envelope, "data") : JsonObject{};
  }
  JsonObject error(JsonObject arguments, const mcp::Caller& from = caller_of()) {
    const JsonObject envelope = call(std::move(arguments), from);
    if (!find_object(envelope, "error")) ADD_FAILURE() << to_json(envelope);
    return find_object(envelope, "error") ? *find_object(envelope, "error") : JsonObject{};
  }
  std::string code(JsonObject arguments, const mcp::Caller& from = caller_of()) {
    return std::string(find_string(error(std::move(arguments), from), "code").value_or("none"));
  }
  std::string new_thread(std::string title = "Retries") {
    return std::string(*find_string(data({{"action", "thread-create"}, {"title", title}}), "thread_id"));
  }
  void write_corpus() {
    std::ofstream(folder / "retries.md") << "# Retries\n\nThe scheduler retries a failed job three times.\n";
  }
  JsonObject finished(const std::string& id) {
    while (!workers.wait(id, std::chrono::seconds(1))) {
    }
    return data({{"action", "deep-research-status"}, {"research_id", id}});
  }
  std::string started(std::string query = "how do retries work?") {
    return std::string(*find_string(data({{"action", "deep-research"}, {"query", std::move(query)}}), "research_id"));
  }

  std::atomic<bool> broken = false;
  model::ScriptedModels models;  // none
  std::unique_ptr<research::Fetcher> fetcher = research::make_fetcher();
  research::Tools over(session::Store& seen) {
    return {seen,
            models,
            [this, &seen](const session::SessionRecord&, const std::vector<std::string>&) -> Result<research::Providers> {
              if (broken) {
                research::Providers dead;
                dead.push_back(std::make_unique<DeadProvider>());
                return dead;
              }
              research::ProviderSettings settings;
              settings.corpus = {{"docs", folder.path(), {"store.db*"}}};
              HF_TRY(research::MadeProviders made, research::make_providers(seen, settings));
              return std::move(made.providers);
            },
            *fetcher,
            "minimal",
            300'000,
            clock.get()};
  }
  research::Research research{over(*store)};
  ResearchWorkers workers{runs_of(research)};
  ResearchRooms rooms{stores, calls, workers};
};

TEST_F(ResearchToolTest, S1AllViolationsAreToldAtOnceWithTheirField) {
  const JsonObject wrong = error({{"action", "deep-research"}, {"query", 5}, {"max_iterations", 11}, {"colour", "red"}});
  EXPECT_EQ(find_string(wrong, "code"), "VALIDATION_ERROR");
  const JsonArray& all = wrong.at("details").at("violations").as_array();
  std::vector<std::string> fields;
  for (const Json& each : all) fields.emplace_back(*find_string(each.as_object(), "field"));
  EXPECT_THAT(fields, testing::UnorderedElementsAre("query", "max_iterations", "colour"));
  EXPECT_EQ(find_bool(wrong, "retryable"), false);
  EXPECT_TRUE(wrong.contains("remediation"));
}

TEST_F(ResearchToolTest, S1CodesOfBadInput) {
  EXPECT_EQ(code({}), "MISSING_REQUIRED");
  const JsonObject number = error({{"action", 5}});
  EXPECT_EQ(find_string(number, "code"), "VALIDATION_ERROR");
  EXPECT_EQ(find_string(number, "message"), "action must be a string");
  EXPECT_EQ(find_string(number, "field"), "action");
  const JsonObject unknown = error({{"action", "frobnicate"}});
  EXPECT_EQ(find_string(unknown, "code"), "UNSUPPORTED_ACTION");
  EXPECT_EQ(unknown.at("details").at("allowed").as_array().size(), 26U);
  const JsonObject missing = error({{"action", "thread-append"}, {"role", "user"}});
  EXPECT_EQ(find_string(missing, "code"), "MISSING_REQUIRED");
  EXPECT_THAT(to_json(missing), testing::AllOf(HasSubstr("thread_id"), HasSubstr("content")));
  EXPECT_EQ(code({{"action", "thread-get"}, {"thread_id", "thread-abc"}}), "INVALID_ID");
  EXPECT_EQ(code({{"action", "thread-get"}, {"thread_id", "research-abcdefgh"}}), "INVALID_ID");
  EXPECT_EQ(code({{"action", "deep-research-status"}, {"research_id", "../../etc"}}), "INVALID_ID");
  EXPECT_EQ(code({{"action", "thread-delete"}, {"thread_ids", JsonArray{"thread-abc"}}}), "INVALID_ID");
  for (const std::int64_t limit : {std::int64_t{0}, operations::kMaxList + 1})  // as every list
    EXPECT_EQ(code({{"action", "thread-list"}, {"limit", limit}}), "VALIDATION_ERROR");
  EXPECT_EQ(code({{"action", "thread-list"}, {"cursor", "made up"}}), "INVALID_CURSOR");
  EXPECT_EQ(code({{"action", "thread-list"}, {"kind", "novel"}}), "INVALID_FILTER");
  EXPECT_EQ(code({{"action", "thread-list"}, {"status", "failed"}}), "INVALID_FILTER") << "of another kind";
  EXPECT_EQ(code({{"action", "deep-research-list"}, {"status", "finished"}}), "INVALID_FILTER");
  EXPECT_EQ(code({{"action", "thread-list"}, {"max_iterations", 1}}), "VALIDATION_ERROR") << "of another action";
  EXPECT_EQ(code({{"action", "thinkdeep"}}), "MISSING_REQUIRED");
  EXPECT_EQ(code({{"action", "deep-research"}}), "MISSING_REQUIRED");
}

TEST_F(ResearchToolTest, S1WhatIsNotThereIsToldApart) {
  EXPECT_EQ(code({{"action", "thread-get"}, {"thread_id", "thread-abcdefgh"}}), "NOT_FOUND");
  const std::string id = new_thread();
  mcp::Caller ann = caller_of("ann");
  ann.principal = "ann";
  EXPECT_EQ(code({{"action", "thread-get"}, {"thread_id", id}}, ann), "NOT_FOUND");
  const auto first = data({{"action", "thread-delete"}, {"thread_id", id}});
  data({{"action", "thread-delete"},
        {"thread_id", id},
        {"confirmation_token", *find(first, "confirmation_token")},
        {"choice", "delete"}});
  const JsonObject deleted = error({{"action", "thread-append"}, {"thread_id", id}, {"role", "user"}, {"content", "x"}});
  EXPECT_EQ(find_string(deleted, "code"), "DELETED");
  EXPECT_EQ(find_string(*find_object(deleted, "details"), "restorable_until"), iso8601(kStart + 30 * session::kDay));
  const JsonObject moved = error({{"action", "thread-archive"}, {"thread_id", id}});
  EXPECT_THAT(std::string(*find_string(moved, "code")), testing::AnyOf("DELETED", "INVALID_STATE_TRANSITION"));

  const auto ask = data({{"action", "purge"}, {"thread_id", id}});
  EXPECT_EQ(find_string(data({{"action", "purge"},
                              {"thread_id", id},
                              {"confirmation_token", *find(ask, "confirmation_token")},
                              {"choice", "purge"},
                              {"confirm_id", id}}),
                        "outcome"),
            "purged");
  EXPECT_EQ(code({{"action", "thread-delete"}, {"thread_ids", JsonArray{id}}}), "GONE");
  const JsonObject gone = error({{"action", "thread-get"}, {"thread_id", id}});
  EXPECT_EQ(find_string(gone, "code"), "GONE");
  EXPECT_EQ(find_string(*find_object(gone, "details"), "purged_at"), iso8601(kStart));
}

TEST_F(ResearchToolTest, S1MetaSaysWhichClock) {
  const JsonObject meta = *find_object(call({{"action", "thread-list"}}), "meta");
  EXPECT_EQ(find_string(meta, "clock"), "test");
  EXPECT_EQ(find_string(meta, "now"), iso8601(kStart));
  EXPECT_TRUE(meta.contains("request_id"));
  EXPECT_TRUE(meta.contains("warnings"));
}

TEST_F(ResearchToolTest, S2OtherNamesOfAThreadsIdAreUnderstood) {
  const std::string id = new_thread();
  for (const char* alias : {"investigation_id", "ideation_id", "consensus_id"})
    EXPECT_EQ(find_string(*find_object(data({{"action", "thread-get"}, {alias, id}}), "thread"), "id"), id) << alias;
}

TEST_F(ResearchToolTest, S9WithoutAModelTheMessageIsKeptAndSaysSo) {
  const JsonObject failed = error({{"action", "chat"}, {"prompt", "hello"}});
  EXPECT_EQ(find_string(failed, "code"), "NO_LLM_PROVIDER");
  const std::string id(*find_string(*find_object(failed, "details"), "thread_id"));
  EXPECT_TRUE(find_object(failed, "details")->contains("message_id"));
  const JsonObject page = data({{"action", "thread-get"}, {"thread_id", id}});
  ASSERT_EQ(find_array(page, "messages")->size(), 1U);
  EXPECT_EQ(find_string(find_array(page, "messages")->front().as_object(), "content"), "hello");
}

TEST_F(ResearchToolTest, S9AppendAndGetPageBySequence) {
  const std::string id = new_thread();
  for (int i = 1; i <= 5; ++i) {
    const JsonObject added =
        data({{"action", "thread-append"}, {"thread_id", id}, {"role", "user"}, {"content", fmt::format("message {}", i)}});
    EXPECT_EQ(find_int(added, "seq"), i);
  }
  const JsonObject last = data({{"action", "thread-get"}, {"thread_id", id}, {"limit", 2}});
  EXPECT_EQ(find_array(last, "messages")->size(), 2U);
  const JsonObject before =
      data({{"action", "thread-get"}, {"thread_id", id}, {"limit", 2}, {"before_seq", *find(last, "before_seq")}});
  EXPECT_EQ(find_int(find_array(before, "messages")->back().as_object(), "seq"), 3);
}

TEST_F(ResearchToolTest, S8ListsHaveTheAgreedItems) {
  const std::string id = new_thread("Title");
  data({{"action", "thread-append"}, {"thread_id", id}, {"role", "user"}, {"content", "one"}});
  clock->advance(2 * 3'600'000);
  const JsonObject list = data({{"action", "thread-list"}, {"status", "active"}});
  ASSERT_EQ(find_int(list, "count"), 1);
  const JsonObject& item = find_array(list, "threads")->front().as_object();
  EXPECT_EQ(find_string(item, "display"), id + ": 'Title' (chat, 1 message, 2h ago)");
  EXPECT_EQ(find_string(item, "kind"), "chat");
  EXPECT_EQ(find_int(item, "message_count"), 1);
  EXPECT_EQ(find_string(item, "next_action"), "archive");
  EXPECT_EQ(find_string(item, "next_action_at"), iso8601(kStart + 7 * session::kDay));
  EXPECT_EQ(find_bool(item, "resumable"), true);
  EXPECT_EQ(find_int(data({{"action", "thread-list"}, {"status", "archived"}}), "count"), 0);
}

TEST_F(ResearchToolTest, S3MovesAndTheStateAlreadyHeld) {
  const std::string id = new_thread();
  EXPECT_EQ(find_bool(data({{"action", "thread-archive"}, {"thread_id", id}}), "changed"), true);
  EXPECT_EQ(find_bool(data({{"action", "thread-archive"}, {"thread_id", id}}), "changed"), false);
  EXPECT_EQ(find_bool(data({{"action", "thread-unarchive"}, {"thread_id", id}}), "changed"), true);
  EXPECT_EQ(find_bool(data({{"action", "thread-restore"}, {"thread_id", id}}), "changed"), false);
  EXPECT_EQ(find_bool(data({{"action", "pin"}, {"thread_id", id}}), "changed"), true);
  EXPECT_EQ(find_bool(data({{"action", "pin"}, {"id", id}}), "changed"), false);
  EXPECT_EQ(code({{"action", "pin"}}), "MISSING_REQUIRED");
}

TEST_F(ResearchToolTest, S5CleanupShowsItsPlanAndKeepsToIt) {
  const std::string id = new_thread();
  clock->advance(7 * session::kDay);
  EXPECT_EQ(find_int(data({{"action", "cleanup"}}), "notices_created"), 1);
  clock->advance(session::kDay);
  JsonObject plan = data({{"action", "cleanup"}, {"dry_run", true}});
  EXPECT_EQ(to_json(*find(plan, "archived")), fmt::format(R"(["{}"])", id));
  EXPECT_EQ(store->get(id)->visibility, session::Visibility::live);
  mcp::Caller ann = caller_of("ann");
  ann.principal = "ann";
  EXPECT_EQ(to_json(*find(data({{"action", "cleanup"}, {"dry_run", true}}, ann), "archived")), "[]") << "not hers to know";
  EXPECT_EQ(to_json(*find(data({{"action", "cleanup"}}), "archived")), fmt::format(R"(["{}"])", id));
  EXPECT_EQ(store->get(id)->visibility, session::Visibility::archived);
}

TEST_F(ResearchToolTest, S10ARunWithoutAModelIsWorkedInTheBackground) {
  write_corpus();
  const JsonObject first = data({{"action", "deep-research"}, {"query", "how often are jobs retried?"}, {"max_iterations", 1}});
  EXPECT_EQ(find_string(first, "status"), "started");
  EXPECT_EQ(find_int(*find_object(first, "effective_limits"), "max_iterations"), 1);
  EXPECT_EQ(find_int(*find_object(first, "effective_limits"), "max_sub_queries"), 5);
  const std::string id(*find_string(first, "research_id"));
  const JsonObject status = finished(id);
  EXPECT_EQ(find_string(status, "status"), "completed");
  EXPECT_EQ(find_int(status, "progress_percent"), 100);
  const JsonObject report = data({{"action", "deep-research-report"}, {"research_id", id}});
  EXPECT_THAT(std::string(*find_string(report, "report")), HasSubstr("retries a failed job three times"));
  EXPECT_EQ(find_bool(report, "partial"), false);
  const JsonObject& source = find_array(report, "sources")->front().as_object();
  EXPECT_EQ(find_string(source, "retrieved_at"), iso8601(clock->now()));
  const JsonObject list = data({{"action", "deep-research-list"}, {"completed_only", true}});
  EXPECT_THAT(std::string(*find_string(find_array(list, "sessions")->front().as_object(), "display")),
              HasSubstr("(completed, 1 source)"));
  EXPECT_EQ(code({{"action", "deep-research"}, {"deep_research_action", "resume"}, {"research_id", id}}), "ALREADY_COMPLETED");
}

TEST_F(ResearchToolTest, S10WithoutAnySourceItFailsAndCanBeResumed) {
  broken = true;
  const std::string id = started();
  const JsonObject status = finished(id);
  ASSERT_EQ(find_string(status, "status"), "failed");
  EXPECT_EQ(find_string(*find_object(status, "error"), "code"), "NO_SOURCES");
  const JsonObject early = error({{"action", "deep-research-report"}, {"research_id", id}});
  EXPECT_EQ(find_string(early, "code"), "REPORT_NOT_READY");
  EXPECT_EQ(find_string(*find_object(early, "details"), "status"), "failed");
  broken = false;
  write_corpus();
  const JsonObject resumed = data({{"action", "deep-research"}, {"deep_research_action", "continue"}, {"research_id", id}});
  EXPECT_EQ(find_bool(resumed, "already_running"), false);
  EXPECT_EQ(find_string(finished(id), "status"), "completed");
}

TEST_F(ResearchToolTest, S11WaitingAnswersWithTheReport) {
  write_corpus();
  const JsonObject done = data({{"action", "deep-research"}, {"query", "how often are jobs retried?"}, {"wait", true}});
  EXPECT_EQ(find_string(done, "status"), "completed");
  EXPECT_THAT(std::string(*find_string(*find_object(done, "report"), "report")), HasSubstr("three times"));
}

TEST_F(ResearchToolTest, S11AClientThatKnowsTasksGetsOne) {
  write_corpus();
  mcp::Caller caller = caller_of();
  caller.capabilities = {{"extensions", JsonObject{{mcp::kTasksExtension, JsonObject{}}}}};
  const JsonObject created =
      call_tool("research", {{"action", "deep-research"}, {"query", "how often are jobs retried?"}, {"wait", true}}, caller);
  ASSERT_EQ(find_string(created, "resultType"), "task") << to_json(created);
  EXPECT_THAT(std::string(*find_string(created, "statusMessage")), HasSubstr("research-"));
  EXPECT_THAT(to_json(created.at("_meta")), HasSubstr("holdfast/research_id"));
  JsonObject task;
  do {
    loop.run_ready();  // what the task has to say
    const JsonObject answer = request("tasks/get", {{"taskId", *find(created, "taskId")}}, caller);
    task = *find_object(answer, "result");
  } while (find_string(task, "status") == "working");
  EXPECT_EQ(find_string(task, "status"), "completed");
  EXPECT_EQ(find_bool(task.at("result").at("structuredContent").as_object(), "success"), true);
}

TEST_F(ResearchToolTest, S11CancelEndsARunForGoodUntilItIsResumed) {
  workers.stop();  // nobody works it
  const std::string id = started();
  const JsonObject cancelled = data({{"action", "deep-research-cancel"}, {"research_id", id}});
  EXPECT_EQ(find_string(cancelled, "status"), "cancelled");
  EXPECT_EQ(find_bool(cancelled, "changed"), true);
  EXPECT_EQ(find_bool(data({{"action", "deep-research-cancel"}, {"research_id", id}}), "changed"), false);
  EXPECT_EQ(code({{"action", "deep-research-report"}, {"research_id", id}}), "REPORT_NOT_READY");
}

TEST_F(ResearchToolTest, S4DeletingARunningRunCancelsItFirst) {
  workers.stop();
  const std::string id = started();
  EXPECT_EQ(code({{"action", "deep-research-archive"}, {"research_id", id}}), "INVALID_STATE_TRANSITION");
  const auto first = data({{"action", "deep-research-delete"}, {"research_id", id}});
  EXPECT_EQ(to_json(*find(first, "choices")), R"(["delete","keep"])");
  const auto done = data({{"action", "deep-research-delete"},
                          {"research_id", id},
                          {"confirmation_token", *find(first, "confirmation_token")},
                          {"choice", "delete"}});
  EXPECT_EQ(find_string(done, "outcome"), "deleted");
  EXPECT_EQ(store->get(id)->status, "cancelled");
}

TEST_F(ResearchToolTest, S12RunsThatAWorkerLeftAreTakenUpAgain) {
  write_corpus();
  research::StartRequest request;
  request.query = "how often are jobs retried?";
  const session::SessionRecord left = research.start(request).value();
  EXPECT_TRUE(workers.recover());
  EXPECT_EQ(find_string(finished(left.id), "status"), "completed");
}

}  // namespace
}  // namespace holdfast::tools
