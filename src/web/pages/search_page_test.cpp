#include "base/files/test_folder.h"
#include "session/query/store_view.h"
#include "store/open.h"
#include "web/pages/timeline_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;

class FixedFinder final : public session::Finder {
 public:
  Result<session::FindResult> find(const session::FindRequest& request) override {
    asked = request;
    if (request.text == "\"") return fail(ErrorKind::invalid, "there is nothing to look for");
    return result;
  }
  Result<std::vector<std::string>> attributes(std::string_view, std::size_t) override { return std::vector<std::string>(); }
  Result<search::IndexState> index_state() override { return search::IndexState(); }

  session::FindResult result;
  session::FindRequest asked;
};

struct SearchPageTest : testing::Test {
  SearchPageTest() {
    session::FoundPlace place;
    place.line = 42;
    place.role = search::PassageRole::assistant;
    place.snippet = "the <b>CORS</b> fix";
    place.highlights = {{7, 11}};
    session::FoundInSession found;
    found.id = "4f2a";
    found.kind = "transcript";
    found.title = "<i>";
    found.resume = "claude --resume 4f2a";
    found.places = {place};
    finder.result.sessions = {found};
  }
  TestFolder folder;
  std::unique_ptr<session::Store> whole = store::open_store("sqlite:" + (folder / "store.db")).value();
  session::StoreView store{session::SharedStore(*whole), full_identity("ann")};
  std::string ask(std::string_view query, bool fragment = false) {
    PageRequest request;
    request.path = "/search";
    request.query = Fields::parse(query);
    request.principal = "ann";
    request.wants_fragment = fragment;
    return search_page(&finder, store, request).value().body;
  }
  FixedFinder finder;
};

TEST_F(SearchPageTest, MarksTheMatchAndEscapesTheRest) {
  const std::string html = ask("q=cors");
  EXPECT_THAT(html, HasSubstr("the &lt;b&gt;<mark>CORS</mark>&lt;/b&gt; fix"));
  EXPECT_THAT(html, HasSubstr("href=\"/sessions/4f2a?line=42#L42\""));
  EXPECT_THAT(html, HasSubstr("data-copy=\"claude --resume 4f2a\""));
  EXPECT_THAT(html, HasSubstr("1 place in 1 session."));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_EQ(finder.asked.text, "cors");
  EXPECT_FALSE(finder.asked.transcripts);
  EXPECT_FALSE(finder.asked.as_typed);
}

TEST_F(SearchPageTest, HighlightsThatDoNotFitAreLeftOut) {
  finder.result.sessions[0].places[0].highlights = {{7, 11}, {9, 12}, {15, 14}, {5, 4000}};
  EXPECT_THAT(ask("q=cors"), HasSubstr("<mark>CORS</mark>&lt;/b&gt; fix</span>"));
}

TEST_F(SearchPageTest, WordsAreMarkedWhereTheFinderSaysNothing) {
  finder.result.sessions[0].places[0].highlights.clear();
  EXPECT_THAT(ask("q=cors+fix+-the"), HasSubstr("the &lt;b&gt;<mark>CORS</mark>&lt;/b&gt; <mark>fix</mark></span>"));
}

TEST_F(SearchPageTest, AFragmentHasTheResultsAlone) {
  const std::string html = ask("q=cor&typing=1&kind=thread&role=user&since=1970-01-02&until=1970-01-02", true);
  EXPECT_THAT(html, testing::StartsWith("<div id=\"results\">"));
  EXPECT_TRUE(finder.asked.as_typed);
  EXPECT_THAT(finder.asked.kinds, testing::ElementsAre("thread"));
  EXPECT_THAT(finder.asked.roles, testing::ElementsAre(search::PassageRole::user));
  EXPECT_EQ(finder.asked.since, 86'400'000);
  EXPECT_EQ(finder.asked.until, 2 * 86'400'000);
}

TEST_F(SearchPageTest, NothingAskedAndAMistake) {
  finder.asked.text = "untouched";
  EXPECT_THAT(ask("order=newest"), Not(HasSubstr("place in")));
  EXPECT_EQ(finder.asked.text, "untouched");
  EXPECT_THAT(ask("q=%22"), HasSubstr("there is nothing to look for"));
  PageRequest request;
  EXPECT_THAT(search_page(nullptr, store, request).value().body, HasSubstr("without a search"));
}

}  // namespace
}  // namespace holdfast::web
