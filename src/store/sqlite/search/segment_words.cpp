#include "store/sqlite/search/segment_words.h"

#include "base/crypto/byte_hash.h"
#include "search/index/segment/block_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::store {

namespace {

// Bytes of the beginnings that are kept. A search asks for the longest that is not longer than its own; shorter ones than the
// first are in every segment.
constexpr std::array<std::size_t, 9> kHeads = {3, 4, 5, 6, 7, 8, 10, 12, 16};

// Fixed, because the filter outlives the process. Who chooses words that fall together makes a search ask a segment in vain.
const ByteHash kWordHash({0x776F7264736F6661, 0x7365676D656E7400});
const ByteHash kHeadHash({0x686561647374776F, 0x7365676D656E7401});

bool may_have_beginning(std::string_view filter, std::string_view beginning) {
  const auto longer = std::ranges::upper_bound(kHeads, beginning.size());
  return longer == kHeads.begin() || search::filter_may_hold(filter, kHeadHash(beginning.substr(0, *(longer - 1))));
}

bool may_match_term(std::string_view filter, const search::WordTerm& term) {
  std::string_view rest = term.words;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the blank before it
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    const bool unfinished = term.prefix && end == rest.size();
    rest.remove_prefix(end);
    if (word.empty()) continue;
    if (unfinished ? !may_have_beginning(filter, word) : !search::filter_may_hold(filter, kWordHash(word))) return false;
  }
  return true;
}

}  // namespace

Result<std::string> make_filter(Db& index, std::string_view table, const std::atomic<bool>& stop) {
  HF_CHECK(index.script("DROP TABLE IF EXISTS temp.all_words"));
  HF_CHECK(index.script(fmt::format("CREATE VIRTUAL TABLE temp.all_words USING fts5vocab(main, {}, row)", table)));
  search::BlockFilterWriter writer;
  {
    HF_TRY(auto rows, index.query("SELECT term FROM temp.all_words"));
    std::string before;
    while (!stop) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      const std::string_view word = rows.text(0);
      writer.add(kWordHash(word));
      // They come in order, so that a beginning is new when the word before has another.
      for (const std::size_t size : kHeads) {
        if (word.size() >= size && !before.starts_with(word.substr(0, size))) writer.add(kHeadHash(word.substr(0, size)));
      }
      before = word;
    }
  }
  HF_CHECK(index.script("DROP TABLE temp.all_words"));
  std::string filter;
  writer.finish(filter);
  return filter;
}

bool may_match(std::string_view filter, const std::vector<search::WordTerm>& words) {
  return std::ranges::all_of(words, [&](const search::WordTerm& term) { return may_match_term(filter, term); });
}

}  // namespace holdfast::store
