// Questions whose answers are known, over our own documentation and over manuals of somebody else's
// (tests/data/research-questions): without a model, the answer has to stand in the first three passages of at least ten reports
// of twelve. Those of strangers were written before anybody had seen what becomes of them.

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "kinds/research/run/test_run.h"
#include "kinds/research/sources/providers.h"

#include <filesystem>
#include <iostream>
#include <regex>

namespace holdfast::research {
namespace {

struct Questions : RunTest {
  // How many are answered; the others are told.
  int answered(const std::string& list, const std::string& folder) {
    std::shared_ptr<SearchProvider> provider = make_local_provider(must(Corpus::open({{"docs", folder, {}}}, "")), nullptr);
    answerers.clear();
    answer("local", [provider](const SearchAsk& ask) { return provider->search(ask); });
    int right = 0;
    const Json questions = must(parse_json(must(read_file(test_data("research-questions/" + list), 1 << 20))));
    for (const Json& each : questions.as_array()) {
      const std::string ask(*find_string(each.as_object(), "ask"));
      const std::regex expected(std::string(*find_string(each.as_object(), "answer")));
      const auto findings = state(run(ask).id).findings;
      std::string first;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, findings.size()); ++i) first += findings[i].content + "\n";
      const bool found = std::regex_search(first, expected);
      right += found ? 1 : 0;
      if (!found) std::cerr << "not answered: " << ask << "\n" << first << "\n";
    }
    return right;
  }
};

TEST_F(Questions, P19TenOfTwelveOverOurOwnDocumentation) {
  EXPECT_GE(answered("docs.json", test_data("../../docs")), 10);
}

TEST_F(Questions, P19TenOfTwelveOverAPublicManual) {
  const TestFolder manual;
  std::filesystem::copy(test_data("research-questions/bzip2-manual.html"), manual / "manual.html");
  EXPECT_GE(answered("bzip2.json", manual.path()), 10);
}

TEST_F(Questions, P19TenOfTwelveOverAManualPage) {
  const TestFolder manual;
  std::filesystem::copy(test_data("research-questions/zstd-manual.txt"), manual / "zstd.txt");
  EXPECT_GE(answered("zstd.json", manual.path()), 10);
}

// Four dozen, two of them harder: asked with other words than the documents use.
TEST_F(Questions, P19TwoOfThreeThatStrangersAskOverOurOwnDocumentation) {
  EXPECT_GE(answered("docs-strangers.json", test_data("../../docs")), 32);
}

}  // namespace
}  // namespace holdfast::research
