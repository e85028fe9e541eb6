// Any bytes as a segment of the text index, with a header whose checksum fits: it is refused, or it can be asked and merged.

#include "search/index/candidates.h"
#include "search/index/manifest.h"
#include "search/index/segment/segment.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  using namespace holdfast::search;
  static_cast<void>(decode_manifest({reinterpret_cast<const char*>(data), size}));
  if (size < sizeof(SegmentHeader)) return 0;
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  std::memcpy(aligned.data(), data, size);
  SegmentHeader header;
  std::memcpy(&header, aligned.data(), sizeof header);
  header.magic = kSegmentMagic;
  header.seed_first = header.seed_second = 1;
  header.checksum = checksum_of(header);
  std::memcpy(aligned.data(), &header, sizeof header);
  const auto segment = Segment::over({reinterpret_cast<const char*>(aligned.data()), size}, {1, 1});
  if (!segment) return 0;
  using Kind = search::TextClause::Kind;
  for (const auto& [kind, text] :
       {std::pair(Kind::word, "a"), {Kind::prefix, "a"}, {Kind::literal, "aaa"}, {Kind::phrase, "a a.a"}}) {
    search::TextQuery query;
    query.clauses = {{kind, text, false}};
    query.filters = {{"a", [](std::string_view value) { return value == "b"; }}};
    const BlockSet all((*segment)->block_count(), true);
    if (candidates(**segment, plan_query(query, KeyHash({1, 1})), all).size() != all.size()) std::abort();
  }
  for (const Lexicon* lexicon : {&(*segment)->words(), &(*segment)->attributes()}) {
    LexiconCursor cursor(*lexicon);
    while (cursor.next())
      for (const std::uint32_t block : cursor.blocks())
        if (block >= (*segment)->block_count()) std::abort();
  }
  return 0;
}
