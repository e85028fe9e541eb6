// The states of a run: threads-and-research §4, rows 1-7, and who may take it up (§12).

#include "kinds/research/run/test_run.h"

#include <fmt/format.h>

#include <atomic>
#include <latch>
#include <thread>

namespace holdfast::research {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Run : RunTest {
  Found note() {
    return document("corpus://notes/a.md#L1-L2", "Notes about storage",
                    "Leases are renewed every fifteen seconds. A lease runs out after sixty seconds.");
  }
  // A provider that waits until it is cancelled; `entered` tells that it does.
  void answer_never(std::atomic<bool>& entered) {
    answer("slow", [&entered](const SearchAsk& ask) -> Result<std::vector<Found>> {
      entered = true;
      entered.notify_all();
      while (!ask.cancelled()) std::this_thread::yield();
      return fail(ErrorKind::cancelled, "given up");
    });
  }
};

TEST_F(Run, S4Row1_StartIsDurableAndHasNothingToShow) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  EXPECT_THAT(id, testing::MatchesRegex("research-[a-zA-Z0-9]+"));
  EXPECT_EQ(get(id).status, "started");
  EXPECT_EQ(get(id).opening, "how long is a lease?");
  auto nothing = research().report("local", id);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().word(), "REPORT_NOT_READY");
  EXPECT_THAT(nothing.error().message, HasSubstr("started, 0 %"));
}

TEST_F(Run, S4Rows2And3_AWorkerTakesItAndCompletesIt) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  std::vector<Progress> seen;
  WorkOptions options;
  options.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(get(id).status, "in_progress");
    seen.push_back(progress);
  };
  const auto record = work(id, options);
  EXPECT_EQ(record.status, "completed");
  EXPECT_EQ(record.completed_at, clock->now());
  EXPECT_EQ(record.retention_anchor_at, clock->now());
  EXPECT_FALSE(find_bool(record.data, "partial").value());
  EXPECT_EQ(find_int(record.data, "progress_percent"), 100);
  EXPECT_EQ(find_int(record.data, "source_count"), 1);
  ASSERT_FALSE(seen.empty());
  int last = 0;
  for (const Progress& progress : seen) {
    EXPECT_GE(progress.percent, last) << "S11: never decreases";
    EXPECT_LE(progress.percent, 99) << "S11: at most 99 before completed";
    last = progress.percent;
  }
  std::set<std::string> events;
  for (const Progress& progress : seen) events.insert(progress.event);
  EXPECT_THAT(events, testing::IsSupersetOf({"phase_start", "phase_done", "source_added", "sub_query_done"}));
}

TEST_F(Run, S4_CompletedIsFinal) {
  answer({note()});
  const auto record = run("how long is a lease?");
  auto again = research().work(record.id, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().word(), "ALREADY_COMPLETED");
  EXPECT_EQ(get(record.id).rev, record.rev);
  const auto cancelled = must(research().cancel("local", record.id));
  EXPECT_FALSE(cancelled.changed);
  EXPECT_EQ(get(record.id).status, "completed");
}

TEST_F(Run, S4Row4And6_NoSourcesFailsAndResumes) {
  bool down = true;
  answer("local", [&](const SearchAsk&) -> Result<std::vector<Found>> {
    if (down) return fail(ErrorKind::unavailable, "the index is locked");
    return std::vector<Found>{note()};
  });
  const auto failed = run("how long is a lease?");
  EXPECT_EQ(failed.status, "failed");
  EXPECT_EQ(error_code(failed), "NO_SOURCES");
  const JsonObject told = status(failed.id);
  EXPECT_TRUE(find_bool(told, "resumable").value());
  EXPECT_EQ(find_int(*find_object(told, "sub_queries"), "failed"), find_int(*find_object(told, "sub_queries"), "total"));
  EXPECT_THAT(*find_array(told, "failed_sub_queries"), testing::Not(IsEmpty()));

  down = false;
  const auto record = work(failed.id);
  EXPECT_EQ(record.status, "completed");
  EXPECT_EQ(error_code(record), "");
  const JsonArray& attempts = *find_array(record.data, "attempts");
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_EQ(find_string(*find_object(attempts[0].as_object(), "error"), "code"), "NO_SOURCES");
  EXPECT_EQ(find_int(*find_object(status(record.id), "sub_queries"), "failed"), 0);
  EXPECT_EQ(find_string(find_array(status(record.id), "attempts")->at(0).as_object(), "until"), iso8601(clock->now()));
}

TEST_F(Run, S4Row5_CancelOfAStartedRun) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  const auto cancelled = must(research().cancel("local", id));
  EXPECT_TRUE(cancelled.changed);
  EXPECT_EQ(cancelled.record.status, "cancelled");
  EXPECT_FALSE(must(research().cancel("local", id)).changed);
  EXPECT_EQ(work(id).status, "completed") << "row 6: cancelled runs resume";
}

TEST_F(Run, S4Row5_ARunThatIsCancelledWhileItWaitsForAWorkerDoesNotBegin) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  must(research().cancel("local", id));
  WorkOptions queued;
  queued.only_open = true;
  const auto outcome = must(research().work(id, queued));
  EXPECT_EQ(outcome.record.status, "cancelled");
  EXPECT_FALSE(outcome.already_running);
  EXPECT_THAT(log->take(), IsEmpty());
}

TEST_F(Run, S4Row6_ReopeningIsDurableBeforeAWorkerBegins) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  must(research().cancel("local", id));
  const auto reopened = must(research().reopen("local", id));
  EXPECT_FALSE(reopened.already_running);
  EXPECT_EQ(get(id).status, "in_progress");
  EXPECT_THAT(must(research().abandoned()), testing::ElementsAre(id)) << "a process that dies now has not lost it";
  EXPECT_EQ(must(research().reopen("local", id)).record.rev, reopened.record.rev) << "once is enough";

  WorkOptions queued;
  queued.only_open = true;
  const auto record = must(research().work(id, queued)).record;
  EXPECT_EQ(record.status, "completed");
  EXPECT_THAT(*find_array(record.data, "attempts"), SizeIs(1)) << "the cancelled one; there was no crash";
  EXPECT_EQ(research().reopen("local", id).error().word(), "ALREADY_COMPLETED");
  EXPECT_EQ(research().reopen("somebody", id).error().word(), "NOT_FOUND");
}

TEST_F(Run, S4_ReopeningWaitsForAWorkerThatWindsDownAndSeesOneThatLives) {
  std::atomic<bool> entered = false;
  answer_never(entered);
  const std::string id = start("how long is a lease?", {{"max_concurrent", 1}});
  std::jthread worker([&] { static_cast<void>(research().work(id, {})); });
  entered.wait(false);
  EXPECT_TRUE(must(research().reopen("local", id)).already_running);
  must(research().cancel("local", id));
  EXPECT_FALSE(must(research().reopen("local", id)).already_running);
  EXPECT_EQ(get(id).status, "in_progress");
}

TEST_F(Run, S11_CancelEndsAWorkerInFlightAndKeepsWhatItHas) {
  std::atomic<bool> entered = false;
  answer({note()});
  answer_never(entered);
  const std::string id = start("how long is a lease?", {{"max_concurrent", 1}});
  Result<WorkOutcome> outcome = fail(ErrorKind::internal, "not run");
  std::jthread worker([&] { outcome = research().work(id, {}); });
  entered.wait(false);
  EXPECT_TRUE(must(research().cancel("local", id)).changed);
  worker.join();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->record.status, "cancelled");
  EXPECT_FALSE(find_bool(status(id), "worker_alive").value());
  const JsonObject reply = report(id);
  EXPECT_TRUE(find_bool(reply, "partial").value());
  EXPECT_EQ(find_string(reply, "report_kind"), "interim");
  EXPECT_THAT(report_text(id), HasSubstr("Notes about storage [1]"));

  answerers.pop_back();
  const std::size_t asked = log->take().size();
  EXPECT_EQ(work(id).status, "completed");
  EXPECT_EQ(log->take().size(), asked) << "S12: the search that was done is not repeated";
}

TEST_F(Run, S4Row5_DeletingARunningRunEndsItAndNothingComesBack) {
  std::atomic<bool> entered = false;
  answer_never(entered);
  const std::string id = start("how long is a lease?");
  Result<WorkOutcome> outcome = fail(ErrorKind::internal, "not run");
  std::jthread worker([&] { outcome = research().work(id, {}); });
  entered.wait(false);
  const auto deleted = change(id, [&](session::SessionRecord& record) {
    record.status = "cancelled";
    record.visibility = session::Visibility::deleted;
    record.deleted_at = clock->now();
  });
  worker.join();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(get(id).rev, deleted.rev) << "late writes are refused";
  EXPECT_EQ(research().work(id, {}).error().word(), "DELETED");
  EXPECT_EQ(research().report("local", id).error().word(), "DELETED");
}

TEST_F(Run, S12_APurgedRunIsNotWrittenAgain) {
  std::atomic<bool> entered = false;
  answer_never(entered);
  const std::string id = start("how long is a lease?");
  Result<WorkOutcome> outcome = fail(ErrorKind::internal, "not run");
  std::jthread worker([&] { outcome = research().work(id, {}); });
  entered.wait(false);
  must(store->write([&](session::Transaction& transaction) { return transaction.purge(id, "test"); }));
  worker.join();
  EXPECT_FALSE(outcome);
  EXPECT_EQ(research().status("local", id).error().word(), "GONE");
}

TEST_F(Run, S4_ResumeWhileAWorkerLivesStartsNoSecond) {
  std::atomic<bool> entered = false;
  answer_never(entered);
  const std::string id = start("how long is a lease?");
  std::jthread worker([&] { static_cast<void>(research().work(id, {})); });
  entered.wait(false);
  const auto second = must(research().work(id, {}));
  EXPECT_TRUE(second.already_running);
  EXPECT_EQ(second.record.status, "in_progress");
  EXPECT_TRUE(find_bool(status(id), "worker_alive").value());
  EXPECT_FALSE(find_bool(status(id), "stalled").value());
  EXPECT_THAT(must(research().abandoned()), IsEmpty());
  static_cast<void>(research().cancel("local", id));
}

TEST_F(Run, S12_OfManyThreadsThatTakeItUpOneWorks) {
  std::latch others(3);
  answer("local", [&](const SearchAsk&) -> Result<std::vector<Found>> {
    others.wait();
    return std::vector<Found>{note()};
  });
  const std::string id = start("lease", {{"max_concurrent", 1}});
  std::atomic<int> worked = 0, refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const auto outcome = research().work(id, {});
        const bool running = outcome && outcome->already_running;
        ++(running ? refused : worked);
        if (running) others.count_down();
      });
  }
  EXPECT_EQ(worked, 1);
  EXPECT_EQ(refused, 3);
  EXPECT_THAT(log->take(), SizeIs(1));
}

TEST_F(Run, S12_ShutdownLeavesItInProgressAndReleasesTheLease) {
  std::atomic<bool> entered = false;
  answer_never(entered);
  const std::string id = start("how long is a lease?");
  std::atomic<bool> stopping = false;
  WorkOptions options;
  options.stopping = [&] { return stopping.load(); };
  options.automatic = true;
  Result<WorkOutcome> outcome = fail(ErrorKind::internal, "not run");
  std::jthread worker([&] { outcome = research().work(id, options); });
  entered.wait(false);
  stopping = true;
  worker.join();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->stopped);
  EXPECT_EQ(outcome->record.status, "in_progress");
  const JsonObject told = status(id);
  EXPECT_TRUE(find_bool(told, "stalled").value());
  EXPECT_EQ(find_string(told, "stop_reason"), "shutdown");
  EXPECT_FALSE(find_bool(told, "worker_alive").value());
  EXPECT_EQ(find_int(outcome->record.data, "automatic_attempts"), 0) << "an orderly end is no crash";
  EXPECT_THAT(must(research().abandoned()), ElementsAre(id));
}

TEST_F(Run, S12_AWorkerThatDiedIsACrashAndItsRunGoesOn) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  change(id, [](session::SessionRecord& record) { record.status = "in_progress"; });
  EXPECT_EQ(find_string(status(id), "stop_reason"), "crash");
  EXPECT_TRUE(find_bool(status(id), "stalled").value());
  const auto record = work(id);
  EXPECT_EQ(record.status, "completed");
  EXPECT_EQ(find_string(find_array(record.data, "attempts")->at(0).as_object(), "stop_reason"), "crash");
}

TEST_F(Run, S12_ThreeAutomaticAttemptsWithoutProgressAreACrashLoop) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  change(id, [](session::SessionRecord& record) {
    record.status = "in_progress";
    record.data["automatic_attempts"] = kAutomaticAttempts;
  });
  WorkOptions automatic;
  automatic.automatic = true;
  const auto record = work(id, automatic);
  EXPECT_EQ(record.status, "failed");
  EXPECT_EQ(error_code(record), "CRASH_LOOP");
  EXPECT_THAT(log->take(), IsEmpty());
  EXPECT_EQ(work(id).status, "completed") << "still resumable by hand";
}

TEST_F(Run, S12_AWorkerThatLostItsLeaseCanChangeNothing) {
  std::string id;
  answer("local", [&](const SearchAsk&) -> Result<std::vector<Found>> {
    // While it searches, somebody thinks it is dead and takes the lease over.
    must(store->write([&](session::Transaction& transaction) -> Result<void> {
      HF_TRY(auto held, transaction.lease("research/" + id));
      HF_CHECK(transaction.release_lease(held->name, held->owner, held->epoch));
      HF_CHECK(transaction.acquire_lease(held->name, session::make_lease_owner()));
      return {};
    }));
    return std::vector<Found>{note()};
  });
  id = start("how long is a lease?", {{"max_concurrent", 1}});
  const auto outcome = research().work(id, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->record.status, "in_progress");
  EXPECT_EQ(get(id).count_of("source"), 0);
}

TEST_F(Run, S13_WhatIsRedactedMeanwhileIsNotWrittenAgain) {
  std::string id;
  int calls = 0;
  answer("local", [&](const SearchAsk&) -> Result<std::vector<Found>> {
    if (++calls == 2) {
      must(store->write([&](session::Transaction& transaction) -> Result<void> {
        session::EntryQuery query;
        query.session = id;
        query.types = {"source"};
        HF_TRY(auto page, transaction.entries(query));
        return transaction.redact(id, page.entries.at(0).seq);
      }));
      return std::vector<Found>{};
    }
    return std::vector<Found>{note()};
  });
  id = start("what about leases, and what about storage?", {{"max_concurrent", 1}});
  const auto record = work(id);
  EXPECT_EQ(record.status, "completed");
  EXPECT_GE(calls, 2);
  for (const Finding& finding : state(id).findings) EXPECT_THAT(finding.content, testing::Not(HasSubstr("sixty seconds")));
  EXPECT_THAT(report_text(id), testing::Not(HasSubstr("sixty seconds")));
}

TEST_F(Run, S1_WhatBelongsToOthersIsNotThere) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  EXPECT_EQ(research().status("somebody", id).error().word(), "NOT_FOUND");
  EXPECT_EQ(research().report("somebody", id).error().word(), "NOT_FOUND");
  EXPECT_EQ(research().cancel("somebody", id).error().word(), "NOT_FOUND");
  EXPECT_EQ(research().status("local", "research-nothere12").error().word(), "NOT_FOUND");
}

TEST_F(Run, S11_StatusIsAPureRead) {
  answer({note()});
  const auto record = run("how long is a lease?");
  const auto before = must(store->last_sequence());
  clock->advance(400'000);
  const JsonObject told = status(record.id);
  EXPECT_EQ(must(store->last_sequence()), before);
  EXPECT_EQ(get(record.id).rev, record.rev);
  for (const std::string_view member : {"research_id",
                                        "query",
                                        "status",
                                        "visibility",
                                        "phase",
                                        "iteration",
                                        "max_iterations",
                                        "sub_queries",
                                        "failed_sub_queries",
                                        "source_count",
                                        "finding_count",
                                        "gap_count",
                                        "contradiction_count",
                                        "progress_percent",
                                        "progress_signal",
                                        "last_progress_at",
                                        "last_progress_event",
                                        "progress_age_ms",
                                        "phase_started_at",
                                        "worker_alive",
                                        "stalled",
                                        "elapsed_ms",
                                        "time_remaining_s",
                                        "budgets",
                                        "tokens",
                                        "attempts",
                                        "resumable",
                                        "has_report",
                                        "next_poll_s"})
    EXPECT_TRUE(find(told, member)) << member;
  EXPECT_EQ(find_int(told, "progress_age_ms"), 400'000);
}

TEST_F(Run, S11_ProgressIsStaleAfterAWhileWithoutAnEvent) {
  answer({note()});
  const std::string id = start("how long is a lease?");
  EXPECT_EQ(find_string(status(id), "progress_signal"), "unknown");
  change(id, [&](session::SessionRecord& record) {
    record.status = "in_progress";
    record.data["last_progress_at"] = clock->now();
  });
  EXPECT_EQ(find_string(status(id), "progress_signal"), "active");
  clock->advance(300'001);
  EXPECT_EQ(find_string(status(id), "progress_signal"), "stale");
}

TEST_F(Run, S8_ItemsOfAListShowSourcesAndProgress) {
  answer({note()});
  JsonObject item;
  add_item_fields(run("how long is a lease?"), item);
  EXPECT_EQ(find_int(item, "source_count"), 1);
  EXPECT_EQ(find_int(item, "progress_percent"), 100);
}

}  // namespace
}  // namespace holdfast::research
