#include "search/index/segment/segment_merge.h"

#include <limits>

namespace holdfast::search {
namespace {

constexpr std::uint32_t kDead = std::numeric_limits<std::uint32_t>::max();

struct Input {
  std::shared_ptr<const Segment> segment;
  std::vector<std::uint32_t> numbers;  // of its blocks in the result
};

Result<void> merge_terms(const std::vector<Input>& inputs, const Lexicon& (Segment::*lexicon)() const, LexiconWriter& to) {
  std::vector<LexiconCursor> cursors;
  std::vector<bool> has_term;
  for (const Input& input : inputs) {
    cursors.emplace_back((*input.segment.*lexicon)());
    has_term.push_back(cursors.back().next());
  }
  std::vector<std::uint32_t> blocks;
  std::string term;
  for (;;) {
    const LexiconCursor* least = nullptr;
    for (std::size_t i = 0; i < cursors.size(); ++i)
      if (has_term[i] && (!least || cursors[i].term() < least->term())) least = &cursors[i];
    if (!least) break;
    term = least->term();
    blocks.clear();
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (!has_term[i] || cursors[i].term() != term) continue;
      for (const std::uint32_t block : cursors[i].blocks())
        if (inputs[i].numbers[block] != kDead) blocks.push_back(inputs[i].numbers[block]);
      has_term[i] = cursors[i].next();
    }
    if (!blocks.empty()) to.add(term, blocks);
  }
  for (const LexiconCursor& cursor : cursors)
    if (cursor.damaged()) return fail(ErrorKind::corrupt, "damaged segment: its words are not in order");
  return {};
}

}  // namespace

Result<std::optional<WrittenSegment>> merge_segments(const std::vector<MergeInput>& merged, ByteHash::Seed seed,
                                                     const std::string& path) {
  std::vector<Input> inputs;
  std::uint32_t count = 0;
  for (const auto& [segment, kept] : merged) {
    Input input{segment, std::vector<std::uint32_t>(segment->block_count(), kDead)};
    kept.each([&](std::size_t block) { input.numbers[block] = count++; });
    inputs.push_back(std::move(input));
  }
  if (count == 0) return std::nullopt;
  HF_TRY(SegmentWriter writer, SegmentWriter::create(path, seed, count));
  for (const Input& input : inputs)
    for (std::size_t block = 0; block < input.numbers.size(); ++block)
      if (input.numbers[block] != kDead)
        HF_CHECK(writer.add_block(input.segment->block(block), input.segment->source_of(block), input.segment->filter_of(block)));
  HF_CHECK(merge_terms(inputs, &Segment::words, writer.words()));
  HF_CHECK(merge_terms(inputs, &Segment::attributes, writer.attributes()));
  HF_TRY(const WrittenSegment written, writer.finish());
  return written;
}

}  // namespace holdfast::search
