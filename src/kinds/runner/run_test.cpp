// Runs without servers: what is kept, what goes on after an interruption, and what one task costs the others. With real servers
// they are tested in tests/e2e/runner.

#include "kinds/runner/run.h"

#include "base/files/test_folder.h"
#include "base/run/poll_loop.h"
#include "kinds/runner/run_export.h"
#include "model/test_models.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <latch>

namespace holdfast::runner {
namespace {

using model::ScriptedModels;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

struct RunTest : testing::Test {
  RunTest() : store(store::open_store("sqlite:" + (folder / "store.db"), {}).value()) {
    settings.paths.base = folder.path();
    settings.servers = [](const ServersFile&) { return ServerList{}; };
  }

  static ScriptedModels::Answerer echo() {
    return [](const model::Ask& ask) -> Result<model::Reply> {
      const std::string& task = ask.messages.back().content;
      if (task.contains("fail")) return fail(ErrorKind::unavailable, "the model is down", {}, "PROVIDER_ERROR");
      return ScriptedModels::reply("did " + task);
    };
  }
  Runs runs() { return Runs(*store, *models, loop, settings); }
  std::string begin(const std::string& request) {
    auto id = runs().begin(parse_run_request(parse_json(request).value()).value(), {});
    EXPECT_TRUE(id) << id.error().message;
    return id.value_or("");
  }
  RunReport work(const std::string& id) {
    auto report = runs().work(id, {}, stop.get_token());
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RunReport{});
  }
  static std::vector<std::string> statuses(const RunReport& report) {
    std::vector<std::string> all;
    for (const TaskResult& result : report.results) all.push_back(result.status);
    return all;
  }

  TestFolder folder;
  std::unique_ptr<session::Store> store;
  std::optional<ScriptedModels> models{std::in_place, echo()};
  PollLoop loop;  // nothing is connected
  RunSettings settings;
  std::stop_source stop;
};

TEST_F(RunTest, OneResultATaskInOrderWhateverHappensToOthers) {
  const std::string id =
      begin(R"({"tasks": ["one", "fail", {"task": "three", "working_directory": "missing", "id": "c"}, "four"]})");
  const RunReport report = work(id);
  EXPECT_EQ(report.status, "completed");
  EXPECT_THAT(statuses(report), ElementsAre("ok", "error", "error", "ok"));
  EXPECT_EQ(report.results[0].text, "did one");
  EXPECT_EQ(report.results[1].error->code, "PROVIDER_ERROR");
  EXPECT_EQ(report.results[2].error->code, "missing");
  EXPECT_EQ(report.results[2].id, "c");
  EXPECT_EQ(report.results[3].text, "did four");
  EXPECT_THAT(report.problems, Contains(HasSubstr("no servers are configured")));
  const JsonObject json = report_json(report);
  EXPECT_EQ(json.at("texts").as_array().size(), 4U);
  EXPECT_THAT(export_report(*store, id, "markdown").value(),
              AllOf(HasSubstr("## task-2: error"), HasSubstr("the model is down")));
  EXPECT_FALSE(export_report(*store, id, "pdf"));
  EXPECT_EQ(runs().work(id, {}, {}).error().kind, ErrorKind::refused) << "it is over";
}

TEST_F(RunTest, NothingThatEndedWellIsAFailure) {
  EXPECT_EQ(work(begin(R"(["fail"])")).status, "failed");
}

TEST_F(RunTest, StopOnErrorSkipsTheRest) {
  const RunReport report = work(begin(R"({"tasks": ["one", "fail", "three"], "on_error": "stop"})"));
  EXPECT_THAT(statuses(report), ElementsAre("ok", "error", "skipped"));
}

TEST_F(RunTest, AnInterruptedRunGoesOnAtTheFirstTaskWithoutAResult) {
  std::filesystem::create_directory(folder / "sub");
  const std::string id =
      begin(R"([{"task": "one", "working_directory": "sub"}, "two", {"task": "three", "keep_context": true}])");
  models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
    if (!ask.messages.back().content.contains("two")) return echo()(ask);
    stop.request_stop();  // while the model thinks
    while (!ask.cancelled()) std::this_thread::yield();
    return fail(ErrorKind::cancelled, "given up");
  });
  const RunReport interrupted = work(id);
  EXPECT_EQ(interrupted.status, "interrupted");
  EXPECT_THAT(statuses(interrupted), ElementsAre("ok", "skipped", "skipped"));

  stop = {};
  models.emplace(echo());
  settings.paths.base = "/";  // another process, somewhere else
  const RunReport report = work(id);
  EXPECT_EQ(report.status, "completed");
  EXPECT_THAT(statuses(report), ElementsAre("ok", "ok", "ok"));
  const auto asks = models->asks();
  ASSERT_EQ(asks.size(), 2U) << "what is finished is not asked again";
  EXPECT_THAT(asks[0].messages.front().content, HasSubstr(folder / "sub")) << "the folder of the task before it";
  EXPECT_EQ(asks[1].messages.size(), 4U) << "system, two, its answer, three";
}

TEST_F(RunTest, AModelThatIsGoneCostsNoTaskItsResult) {
  const std::string id = begin(R"(["one", "fail", "three"])");
  models->gone = make_error(ErrorKind::unavailable, "nobody listens");
  for (int time = 0; time < 2; ++time) {
    const RunReport interrupted = work(id);
    EXPECT_EQ(interrupted.status, "interrupted");
    EXPECT_THAT(statuses(interrupted), ElementsAre("ok", "skipped", "skipped"));
    EXPECT_THAT(interrupted.interruption, HasSubstr("the model is down"));
    ASSERT_TRUE(interrupted.fault);
    EXPECT_EQ(interrupted.fault->kind, ErrorKind::unavailable);
    EXPECT_EQ(read_report(*store, id).value().interruption, interrupted.interruption);
  }
  models.emplace([](const model::Ask&) -> Result<model::Reply> { return ScriptedModels::reply("back"); });
  const RunReport report = work(id);
  EXPECT_EQ(report.status, "completed");
  EXPECT_THAT(statuses(report), ElementsAre("ok", "ok", "ok"));
  EXPECT_EQ(report.interruption, "");
}

TEST_F(RunTest, AModelThatNobodyServesInterruptsUnlessTheTaskAskedForIt) {
  models->served = {"small"};
  const std::string id = begin(R"({"tasks": [{"task": "one", "model": "huge"}, "two"], "model": "large"})");
  const RunReport interrupted = work(id);
  EXPECT_THAT(statuses(interrupted), ElementsAre("error", "skipped"));
  EXPECT_EQ(interrupted.fault->code, "MODEL_NOT_FOUND");
  Runs::Changes changes;
  changes.limits.model = "small";
  ASSERT_TRUE(runs().amend(id, changes));
  EXPECT_THAT(statuses(work(id)), ElementsAre("error", "ok"));
  EXPECT_EQ(runs().amend(id, changes).error().kind, ErrorKind::refused) << "it is over";
}

TEST_F(RunTest, DefinitionsThatAreGoneInterruptTheRun) {
  const std::string id = begin(R"(["one"])");
  settings.servers = [](const ServersFile&) -> Result<ServerList> { return fail(ErrorKind::not_found, "mcp.json: not there"); };
  const RunReport interrupted = work(id);
  EXPECT_EQ(interrupted.status, "interrupted");
  EXPECT_EQ(interrupted.fault->kind, ErrorKind::not_found);
  EXPECT_THAT(interrupted.interruption, HasSubstr("mcp.json"));
  settings.servers = [](const ServersFile&) { return ServerList{}; };
  EXPECT_EQ(work(id).status, "completed");
}

TEST_F(RunTest, RelativeFoldersBeginWhereTheRunDoes) {
  std::filesystem::create_directories(folder / "work/notes");
  const RunReport report = work(begin(
      R"({"initial_directory": "work", "tasks": ["one", {"task": "two", "working_directory": "notes"}, {"task": "three", "working_directory": "FILE://)" +
      (folder / "work") + R"("}]})"));
  EXPECT_THAT(statuses(report), ElementsAre("ok", "ok", "ok"));
  const auto asks = models->asks();
  EXPECT_THAT(asks[1].messages.front().content, HasSubstr(folder / "work/notes"));
}

TEST_F(RunTest, FoldersThatAPersonShouldThinkAboutAreNamedOnce) {
  std::filesystem::create_directories(folder / "home/.ssh");
  settings.paths.home = folder / "home";
  settings.paths.base = folder / "home";
  const RunReport report = work(begin(R"(["one", {"task": "two", "working_directory": "~"}])"));
  EXPECT_EQ(std::ranges::count_if(report.problems, [](const std::string& each) { return each.contains(".ssh"); }), 1);
}

TEST_F(RunTest, FoldersThatHaveGoneFailTheTask) {
  std::filesystem::create_directory(folder / "a");
  const std::string id = begin(R"([{"task": "one", "working_directory": "a"}, "two"])");
  models.emplace([&](const model::Ask& ask) {
    std::filesystem::remove(folder / "a");
    std::filesystem::create_directory_symlink("/", folder / "a");
    return echo()(ask);
  });
  const RunReport report = work(id);
  EXPECT_THAT(statuses(report), ElementsAre("ok", "error"));
  EXPECT_EQ(report.results[1].error->code, "no_roots");
}

TEST_F(RunTest, TurnsOfAConversationAlternate) {
  std::filesystem::create_directory(folder / "a");
  models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
    const std::string& last = ask.messages.back().content;
    if (last == "one") return ScriptedModels::reply("");
    return echo()(ask);
  });
  work(begin(
      R"(["one", {"task": "fail", "keep_context": true}, {"task": "three", "keep_context": true, "working_directory": "a"}])"));
  const auto asks = models->asks();
  std::vector<std::string> roles;
  for (const model::Message& message : asks.back().messages) roles.push_back(message.role);
  ASSERT_GE(roles.size(), 8U);
  EXPECT_EQ(roles[0], "system");
  for (std::size_t i = 1; i < roles.size(); ++i) EXPECT_EQ(roles[i], i % 2 == 1 ? "user" : "assistant") << i;
  EXPECT_THAT(asks.back().messages.back().content, AllOf(HasSubstr(folder / "a"), HasSubstr("three")));
}

TEST_F(RunTest, P23ARunGoesOnInTheMiddleOfATaskUnlessItCannotBeRead) {
  for (const bool redacted : {false, true}) {
    const std::string id = begin(R"(["one", "two", "three"])");
    stop = {};
    models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
      if (ask.messages.back().content == "two") return ScriptedModels::calls({model::ToolCall{"1", "nothing", "{}"}});
      if (ask.messages.back().role != "tool") return echo()(ask);
      stop.request_stop();
      while (!ask.cancelled()) std::this_thread::yield();
      return fail(ErrorKind::cancelled, "given up");
    });
    EXPECT_THAT(statuses(work(id)), ElementsAre("ok", "skipped", "skipped"));
    if (redacted) {
      session::EntryQuery query;
      query.session = id;
      query.types = {"round"};
      const auto page = store->entries(query).value();
      ASSERT_EQ(page.entries.size(), 2U);
      // Of the task that is done it does no harm.
      for (const session::Entry& entry : page.entries)
        ASSERT_TRUE(store->write([&](session::Transaction& transaction) { return transaction.redact(id, entry.seq); }));
    }
    stop = {};
    models.emplace(ScriptedModels::next_of({ScriptedModels::reply("goes on"), ScriptedModels::reply("goes on")}));
    const RunReport report = work(id);
    if (redacted) {
      EXPECT_THAT(statuses(report), ElementsAre("ok", "error", "ok"));
      EXPECT_EQ(report.results[1].error->code, "not_resumable");
    } else {
      EXPECT_THAT(statuses(report), ElementsAre("ok", "ok", "ok"));
      EXPECT_EQ(report.results[1].rounds, 2);
      EXPECT_THAT(models->asks().front().messages.back().content, HasSubstr("no tool nothing"));
    }
  }
}

TEST_F(RunTest, AConversationIsRecalledFromWhatWasKept) {
  const std::string id = begin(R"(["one", {"task": "two", "keep_context": true}, {"task": "three", "keep_context": true}])");
  models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
    if (ask.messages.back().content != "three") return echo()(ask);
    stop.request_stop();
    while (!ask.cancelled()) std::this_thread::yield();
    return fail(ErrorKind::cancelled, "given up");
  });
  EXPECT_THAT(statuses(work(id)), ElementsAre("ok", "ok", "skipped"));
  stop = {};
  models.emplace(echo());
  EXPECT_EQ(work(id).status, "completed");
  std::vector<std::string> said;
  const auto asks = models->asks();
  for (const model::Message& message : asks.back().messages) said.push_back(message.content);
  EXPECT_THAT(said, ElementsAre(HasSubstr(folder.path()), "one", "did one", "two", "did two", "three"));
}

TEST_F(RunTest, ARunIsCancelledFromElsewhereAndOnlyByItsOwner) {
  const std::string id = begin(R"(["one", "two"])");
  std::latch asked(1);
  models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
    asked.count_down();
    while (!ask.cancelled()) std::this_thread::yield();
    return fail(ErrorKind::cancelled, "given up");
  });
  auto worked = std::async(std::launch::async, [&] { return work(id); });
  asked.wait();
  EXPECT_TRUE(runs().work(id, {}, {}).value().already_running);
  EXPECT_EQ(cancel_run(*store, id, "somebody").error().kind, ErrorKind::not_found);
  ASSERT_TRUE(cancel_run(*store, id, "local"));
  const RunReport report = worked.get();
  EXPECT_EQ(report.status, "cancelled");
  EXPECT_THAT(statuses(report), ElementsAre("cancelled", "skipped"));
  EXPECT_EQ(cancel_run(*store, id, "local").error().kind, ErrorKind::conflict);
  EXPECT_EQ(read_report(*store, "0000").error().kind, ErrorKind::not_found);
}

TEST_F(RunTest, ProgressGrowsAndTellsOfEachResult) {
  const std::string id = begin(R"(["one", "two"])");
  std::vector<std::uint64_t> steps;
  std::vector<std::string> ended;
  ASSERT_TRUE(runs().work(id,
                          [&](const RunProgress& progress) {
                            steps.push_back(progress.step);
                            if (progress.ended) ended.push_back(progress.ended->text);
                          },
                          {}));
  EXPECT_THAT(ended, ElementsAre("did one", "did two"));
  EXPECT_TRUE(std::ranges::adjacent_find(steps, std::greater_equal<>()) == steps.end());
}

TEST_F(RunTest, ServersThatAreNotDefinedAreSaidBeforeAnythingIsKept) {
  auto id = runs().begin(parse_run_request(parse_json(R"({"tasks": ["x"], "servers": ["nobody"]})").value()).value(), {});
  EXPECT_EQ(id.error().kind, ErrorKind::not_found);
  EXPECT_EQ(store->list({}).value().total, 0);
}

}  // namespace
}  // namespace holdfast::runner
