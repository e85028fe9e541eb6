// Gathering: threads-and-research §10 (questions, rounds, duplicates, links) and its budgets.

#include "kinds/research/run/test_run.h"
#include "kinds/research/sources/fetch.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace holdfast::research {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Answer = Result<std::vector<Found>>;

struct Gather : RunTest {
  static Found numbered(const std::string& about, int number) {
    return document(fmt::format("corpus://notes/{}-{}.md", about, number), fmt::format("{} {}", about, number),
                    fmt::format("The {} number {} is described in this sentence.", about, number));
  }
  static std::vector<Found> several(const std::string& about, int count) {
    std::vector<Found> found;
    for (int i = 1; i <= count; ++i) found.push_back(numbered(about, i));
    return found;
  }
  std::vector<std::string> uris(const std::string& id) {
    std::vector<std::string> list;
    for (const Source& source : state(id).sources) list.push_back(source.uri);
    return list;
  }
};

TEST_F(Gather, S10_ExtraQuestionsAreDropped) {
  answer(several("valve", 1));
  const std::string id = start("pumps, valves, pipes, tanks, meters", {{"max_sub_queries", 2}});
  work(id);
  EXPECT_THAT(state(id).questions.at(1), SizeIs(2));
}

TEST_F(Gather, S10_AtMostSoManySourcesOfOneQuestion) {
  answer(several("valve", 30));
  const auto record = run("valve", {{"max_sources_per_query", 4}});
  EXPECT_EQ(find_int(record.data, "source_count"), 4);
}

TEST_F(Gather, S10_EveryProviderGetsItsShare) {
  answer("local", [](const SearchAsk&) -> Answer { return several("valve", 9); });
  answer("web", [](const SearchAsk&) -> Answer { return several("pipe", 9); });
  const auto record = run("valve", {{"max_sources_per_query", 4}});
  EXPECT_THAT(uris(record.id), ElementsAre(HasSubstr("valve-1"), HasSubstr("valve-2"), HasSubstr("pipe-1"), HasSubstr("pipe-2")));
}

TEST_F(Gather, S10_DuplicatesByCanonicalUriAndByLongTitle) {
  answer({web_page("HTTPS://Example.org:443/a/?utm_source=x#part", "One", "about valves"),
          web_page("https://example.org/a", "Another title of the same", "about valves"),
          web_page("https://mirror.example.net/b", "The complete handbook of valves!", "x"),
          web_page("https://other.example.net/c", "the complete  Handbook of Valves", "y"),
          web_page("https://example.org/d", "One", "a short title tells nothing")});
  const auto record = run("valve");
  EXPECT_THAT(uris(record.id), ElementsAre("HTTPS://Example.org:443/a/?utm_source=x#part", "https://mirror.example.net/b",
                                           "https://example.org/d"));
}

TEST_F(Gather, S10_CitationNumbersFollowTheQuestionsWhoeverIsFaster) {
  std::atomic<int> finished = 0;
  // The first question answers last: it waits for the two others that are searched for at the same time.
  answer("local", [&](const SearchAsk& ask) -> Answer {
    const bool first = ask.query.find("pumps") != std::string::npos && ask.query.find("valves") != std::string::npos;
    if (first)
      while (finished < 2) std::this_thread::yield();
    if (!first) ++finished;
    return several(first ? "all" : ask.query.find("pumps") != std::string::npos ? "pump" : "valve", 1);
  });
  const auto record = run("pumps, valves", {{"max_concurrent", 3}});
  EXPECT_THAT(uris(record.id), ElementsAre(HasSubstr("all-1"), HasSubstr("pump-1"), HasSubstr("valve-1")));
  std::int64_t expected = 0;
  for (const Source& source : state(record.id).sources) EXPECT_EQ(source.citation, ++expected);
}

TEST_F(Gather, S10_NoMoreThanMaxConcurrentAtOnce) {
  std::atomic<int> inside = 0, most = 0;
  answer("local", [&](const SearchAsk&) -> Answer {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --inside;
    return several("valve", 1);
  });
  run("pumps, valves, pipes, tanks", {{"max_concurrent", 2}});
  EXPECT_LE(most, 2);
}

TEST_F(Gather, S10_ARoundThatFindsNothingTriesOneRefinedQuery) {
  answer("local", [](const SearchAsk&) -> Answer { return std::vector<Found>{}; });
  const auto record = run("why did we choose valves?", {{"max_sub_queries", 1}});
  EXPECT_THAT(log->take(), ElementsAre(HasSubstr("because"), "local: valv"));
  EXPECT_EQ(error_code(record), "NO_SOURCES");
}

TEST_F(Gather, S10_AQuestionWithSourcesIsCompletedThoughAProviderFailed) {
  answer("local", [](const SearchAsk&) -> Answer { return several("valve", 1); });
  answer("web", [](const SearchAsk&) -> Answer { return fail(ErrorKind::unavailable, "down"); });
  const auto record = run("valve");
  EXPECT_EQ(record.status, "completed");
  EXPECT_EQ(find_int(*find_object(record.data, "sub_queries"), "failed"), 0);
  EXPECT_THAT(to_json(*find(record.data, "warnings")), HasSubstr("web: down"));
}

TEST_F(Gather, P21AQuestionWithoutASourceFailsAndIsSearchedForAgainWhenResumed) {
  models = std::make_unique<model::ScriptedModels>([](const model::Ask& ask) -> Result<model::Reply> {
    EXPECT_NE(ask.purpose, "synthesis");
    return model::ScriptedModels::reply("{\"sub_queries\":[{\"query\":\"valves\"}],\"enough\":true}");
  });
  answer("local", [](const SearchAsk&) -> Answer { return std::vector<Found>{}; });
  const auto record = run("valves");
  EXPECT_EQ(record.status, "failed");
  EXPECT_EQ(error_code(record), "NO_SOURCES");
  EXPECT_THAT(to_json(*find(record.data, "error")), HasSubstr("then resume the run"));
  EXPECT_TRUE(find_bool(status(record.id), "resumable").value());
  EXPECT_EQ(work(record.id).status, "failed") << "still nothing";

  models = std::make_unique<model::ScriptedModels>();
  answerers.clear();
  answer(several("valve", 1));
  const auto found = work(record.id);
  EXPECT_EQ(found.status, "completed");
  EXPECT_EQ(find_int(found.data, "source_count"), 1);
  EXPECT_FALSE(find_bool(found.data, "partial").value());
  EXPECT_THAT(*find_array(found.data, "attempts"), SizeIs(2));
}

// Some providers say that there is nothing, one is down: that is no source either.
TEST_F(Gather, P21NothingAndFaultsTogetherAreNoSources) {
  int asked = 0;
  answer("local", [&](const SearchAsk&) -> Answer {
    if (++asked == 1) return fail(ErrorKind::unavailable, "down");
    return std::vector<Found>{};
  });
  EXPECT_EQ(error_code(run("pumps, valves", {{"max_concurrent", 1}})), "NO_SOURCES");
}

TEST_F(Gather, P20NothingFoundWithASpentBudgetIsPartialNotFailed) {
  answer("local", [](const SearchAsk&) -> Answer { return std::vector<Found>{}; });
  const auto record = run("valves, pumps, pipes", {{"max_search_calls", 2}});
  EXPECT_EQ(record.status, "completed");
  EXPECT_EQ(find_string(record.data, "stop_reason"), "budget_calls");
  const JsonObject reply = report(record.id);
  EXPECT_TRUE(find_bool(reply, "empty").value());
  EXPECT_TRUE(find_bool(reply, "partial").value());
  EXPECT_THAT(report_text(record.id), HasSubstr("Nothing was found that answers this question."));
}

TEST_F(Gather, S10_NoProviderAtAllIsNoSources) {
  const auto record = run("valves");
  EXPECT_EQ(record.status, "failed");
  EXPECT_EQ(error_code(record), "NO_SOURCES");
}

TEST_F(Gather, S10_ARunThatNamesOnlyProvidersNobodyHasIsRefused) {
  answer(several("valve", 1));
  StartRequest request;
  request.query = "valves";
  request.search = {"nowhere", "neither"};
  const auto refused = research().start(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().word(), "VALIDATION_ERROR");
  EXPECT_EQ(refused.error().message, "there is no search provider 'nowhere', 'neither'");
  EXPECT_EQ(refused.error().hint, "there are local");
  EXPECT_EQ(must(store->list({})).total, 0);
}

TEST_F(Gather, S10_ARunWhoseProvidersAreGoneSaysWhich) {
  answer("nowhere", [](const SearchAsk&) -> Answer { return several("valve", 1); });
  StartRequest request;
  request.query = "valves";
  request.search = {"nowhere"};
  const std::string id = must(research().start(request)).id;
  answerers.clear();
  answer(several("valve", 1));
  const auto record = work(id);
  EXPECT_EQ(error_code(record), "NO_SOURCES");
  EXPECT_THAT(to_json(*find(record.data, "error")), HasSubstr("there is no search provider 'nowhere'"));
  EXPECT_THAT(log->take(), IsEmpty());
}

TEST_F(Gather, S10_OnlyTheProvidersThatWereNamed) {
  answer("local", [](const SearchAsk&) -> Answer { return several("valve", 1); });
  answer("web", [](const SearchAsk&) -> Answer { return several("pipe", 1); });
  StartRequest request;
  request.query = "valve";
  request.search = {"web", "nowhere"};
  const auto record = work(must(research().start(request)).id);
  EXPECT_THAT(log->take(), Not(Contains(HasSubstr("local:"))));
  EXPECT_THAT(to_json(*find(record.data, "warnings")), HasSubstr("no search provider 'nowhere'"));
}

TEST_F(Gather, S10_LinksAreFollowedAndAnalysedAtMostTenAnIteration) {
  std::vector<Found> pages;
  for (int i = 0; i < 12; ++i) {
    const std::string uri = fmt::format("https://example.org/{}", i);
    pages.push_back(web_page(uri, fmt::format("Page {}", i), "a snippet about valves"));
    fetcher.pages[uri] = fmt::format("Valves of kind {} are opened by hand and closed by a spring.", i);
  }
  answer(pages);
  const auto record = run("valves", {{"max_sources_per_query", 12}, {"max_iterations", 1}});
  EXPECT_THAT(fetcher.fetched(), SizeIs(kFetchesPerIteration));
  EXPECT_THAT(report_text(record.id), HasSubstr("Valves of kind 0 are opened by hand"));
}

TEST_F(Gather, S10_APageThatCannotBeReadLeavesTheSnippet) {
  answer({web_page("https://example.org/a", "A page", "Valves are described well in this snippet.")});
  const auto record = run("valves");
  EXPECT_EQ(record.status, "completed");
  EXPECT_THAT(report_text(record.id), HasSubstr("“Valves are described well in this snippet.” [1]"));
}

TEST_F(Gather, S10_LinksAreNotFollowedWhenTheyShouldNot) {
  answer({web_page("https://example.org/a", "A page", "Valves are described well in this snippet.")});
  StartRequest request;
  request.query = "valves";
  request.follow_links = false;
  work(must(research().start(request)).id);
  EXPECT_THAT(fetcher.fetched(), IsEmpty());
}

TEST_F(Gather, S10_SpentTimeEndsAsCompletedPartialWithAReport) {
  answer(several("valve", 1));
  const std::string id = start("valves, pumps", {{"task_timeout", 10}, {"max_concurrent", 1}});
  // At four fifths of the time: what is there already is reported, nothing new is gathered.
  answerers.clear();
  int calls = 0;
  answer("local", [&](const SearchAsk&) -> Answer {
    ++calls;
    return several("valve", 1);
  });
  change(id, [](session::SessionRecord& record) { record.data["used"] = JsonObject{{"active_ms", 8000}}; });
  const auto record = work(id);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(record.status, "completed");
  EXPECT_TRUE(find_bool(record.data, "partial").value());
  EXPECT_EQ(find_string(record.data, "stop_reason"), "budget_time");
  EXPECT_EQ(find_string(report(record.id), "report_kind"), "final");
}

TEST_F(Gather, S10_SpentSearchesEndAsCompletedPartial) {
  answer(several("valve", 1));
  const auto record = run("valves, pumps, pipes", {{"max_search_calls", 2}});
  EXPECT_THAT(log->take(), SizeIs(2));
  EXPECT_EQ(record.status, "completed");
  EXPECT_TRUE(find_bool(record.data, "partial").value());
  EXPECT_EQ(find_string(record.data, "stop_reason"), "budget_calls");
  EXPECT_THAT(report_text(record.id), HasSubstr("The run ended early because the calls it was given were used up"));
  EXPECT_EQ(find_int(*find_object(*find_object(status(record.id), "budgets"), "max_search_calls"), "used"), 2);
}

TEST_F(Gather, S10_TheOwnRunIsNamedSoThatItIsNeverItsOwnSource) {
  std::string excluded;
  answer("local", [&](const SearchAsk& ask) -> Answer {
    excluded = ask.exclude_session;
    return several("valve", 1);
  });
  const auto record = run("valve", {{"max_concurrent", 1}});
  EXPECT_EQ(excluded, record.id);
}

TEST_F(Gather, S13_AuditNamesEveryCallAndItsTextOnlyWhenAskedTo) {
  answer(several("valve", 1));
  const auto texts = [&](const std::string& id) {
    session::EntryQuery query;
    query.session = id;
    query.types = {"audit"};
    std::vector<std::string> list;
    for (const session::Entry& entry : must(store->entries(query)).entries) list.push_back(entry.data + entry.text);
    return list;
  };
  const auto quiet = texts(run("valve").id);
  ASSERT_THAT(quiet, SizeIs(1));
  EXPECT_THAT(quiet[0], testing::AllOf(HasSubstr("\"event\":\"search\""), HasSubstr("\"provider\":\"local\""),
                                       HasSubstr("\"phase\":\"gathering\""), Not(HasSubstr("valve"))));
  audit = "full";
  EXPECT_THAT(texts(run("valve").id)[0], HasSubstr("valve"));
}

TEST_F(Gather, S10_WhatProvidersSendIsTidiedBeforeItIsKept) {
  Found odd = document("corpus://x/\xff", "", "Valves \xff are broken here and there.");
  odd.score = 17;
  answer({odd, document("", "no address", "Valves without an address are not kept.")});
  const auto record = run("valve");
  EXPECT_EQ(record.status, "completed");
  const auto sources = state(record.id).sources;
  ASSERT_THAT(sources, SizeIs(1));
  EXPECT_EQ(sources[0].quality, 1);
  EXPECT_EQ(sources[0].title, sources[0].uri);
}

}  // namespace
}  // namespace holdfast::research
