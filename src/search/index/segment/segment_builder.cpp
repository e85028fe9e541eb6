#include "search/index/segment/segment_builder.h"

#include <algorithm>
#include <limits>

namespace holdfast::search {
namespace {

constexpr char kEscape = '\x1F';

}  // namespace

std::string attribute_term(std::string_view attribute) {
  std::string term(1, kAttributeTerms);
  for (const char c : attribute.substr(0, kMaxAttributeBytes)) {
    if (c == kTermEnd || c == kEscape)
      (term += kEscape) += static_cast<char>(c + '@');
    else
      term += c;
  }
  return term;
}

std::string attribute_of_term(std::string_view term) {
  std::string attribute;
  for (std::size_t i = 1; i < term.size(); ++i) {
    const bool escaped = term[i] == kEscape && i + 1 < term.size();
    attribute += escaped ? static_cast<char>(term[++i] - '@') : term[i];
  }
  return attribute;
}

std::string role_term(PassageRole role) {
  return std::string(1, kRoleTerms) + std::string(name_of(role));
}

struct SegmentBuilder::Collector {
  SegmentBuilder& builder;
  std::string_view text;
  std::uint32_t block;

  void word(std::size_t begin, std::size_t end, std::uint64_t hash) {
    if (end - begin > kMaxWordBytes) builder.current_.flags |= BlockEntry::kLongWords;
    add(text.substr(begin, std::min(end - begin, kMaxWordBytes)), hash);
  }
  void pair(std::size_t begin, std::size_t end, bool) {
    add(text.substr(begin, end - begin), builder.hash_.word(text.data() + begin, end - begin));
  }
  void neighbours(std::size_t, std::size_t, std::uint64_t key) { builder.filter_.add(key); }
  void edge(std::uint64_t key) { builder.filter_.add(key); }

  void add(std::string_view term, std::uint64_t hash) {
    Seen& seen = builder.seen_[hash % builder.seen_.size()];
    if (seen.hash == hash && seen.block == builder.block_number_) return;
    seen = {hash, builder.block_number_};
    builder.words_.add(term, hash, block);
  }
};

SegmentBuilder::SegmentBuilder(ByteHash::Seed seed) : seed_(seed), hash_(seed), attribute_hash_(seed) {}

void SegmentBuilder::begin_run(std::uint64_t source, std::size_t block_text) {
  source_ = source;
  most_block_text_ = block_text;
}

void SegmentBuilder::begin_block(const Passage& passage) {
  open_ = true;
  ++block_number_;
  block_text_ = 0;
  current_ = {};
  current_.from = passage.line_begin;
  current_.first_line = passage.line;
  current_.oldest = std::numeric_limits<std::int64_t>::max();
  current_.newest = std::numeric_limits<std::int64_t>::min();
  words_.block_begins.push_back(static_cast<std::uint32_t>(words_.numbers.size()));
  attributes_.block_begins.push_back(static_cast<std::uint32_t>(attributes_.numbers.size()));
}

void SegmentBuilder::add(const Passage& passage) {
  // Lines are whole: a block ends where another line begins.
  if (open_ && block_text_ >= most_block_text_ && passage.line_begin != last_line_) end_block();
  if (!open_) begin_block(passage);
  last_line_ = passage.line_begin;
  current_.to = passage.line_end;
  current_.oldest = std::min(current_.oldest, passage.time);
  current_.newest = std::max(current_.newest, passage.time);
  const auto block = static_cast<std::uint32_t>(blocks_.size());
  folded_.assign(passage.text);
  block_text_ += folded_.size();
  Collector collector{*this, folded_.view(), block};
  scan_tokens(folded_, hash_, collector);
  folded_.shrink();
  const auto add_attribute = [&](const std::string& term) { attributes_.add(term, attribute_hash_(term), block); };
  for (const std::string_view attribute : passage.attributes) add_attribute(attribute_term(attribute));
  add_attribute(role_term(passage.role));
}

void SegmentBuilder::end_block() {
  open_ = false;
  const std::size_t before = filters_.size();
  filter_.finish(filters_);
  current_.filter_bytes = static_cast<std::uint32_t>(filters_.size() - before);
  current_.text_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(block_text_, std::numeric_limits<std::uint32_t>::max()));
  text_bytes_ += block_text_;
  blocks_.push_back({current_, source_});
}

void SegmentBuilder::end_run() {
  if (open_) end_block();
}

void SegmentBuilder::Terms::add(std::string_view term, std::uint64_t hash, std::uint32_t block) {
  const std::uint32_t number = table.number_of(term, hash);
  if (number == last_block.size()) last_block.push_back(0);
  if (last_block[number] == block + 1) return;
  last_block[number] = block + 1;
  numbers.push_back(number);
}

void SegmentBuilder::Terms::write(LexiconWriter& to) const {
  // From the terms of each block to the blocks of each term.
  std::vector<std::uint32_t> begins(table.size() + 1, 0), blocks(numbers.size());
  for (const std::uint32_t number : numbers) ++begins[number + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> ends(begins.begin(), begins.end() - 1);
  for (std::size_t block = 0; block < block_begins.size(); ++block) {
    const std::size_t end = block + 1 < block_begins.size() ? block_begins[block + 1] : numbers.size();
    for (std::size_t i = block_begins[block]; i < end; ++i) blocks[ends[numbers[i]]++] = static_cast<std::uint32_t>(block);
  }
  for (const std::uint32_t number : table.sorted())
    to.add(table.text(number), std::span(blocks).subspan(begins[number], begins[number + 1] - begins[number]));
}

std::size_t SegmentBuilder::Terms::memory() const {
  // While it is written: begins, ends, blocks, the order and the text once more.
  return table.memory() + last_block.capacity() * 4 + numbers.capacity() * 4 + numbers.size() * 4 + table.size() * (8 + 20) +
         block_begins.capacity() * 4;
}

void SegmentBuilder::Terms::clear() {
  table.clear();
  last_block.clear();
  numbers.clear();
  block_begins.clear();
}

std::size_t SegmentBuilder::memory() const {
  return words_.memory() + attributes_.memory() + filters_.capacity() + blocks_.capacity() * sizeof(Block);
}

Result<WrittenSegment> SegmentBuilder::write(const std::string& path) {
  HF_TRY(SegmentWriter writer, SegmentWriter::create(path, seed_, blocks_.size()));
  std::size_t filter = 0;
  for (const Block& block : blocks_) {
    HF_CHECK(writer.add_block(block.entry, block.source, std::string_view(filters_).substr(filter, block.entry.filter_bytes)));
    filter += block.entry.filter_bytes;
  }
  words_.write(writer.words());
  attributes_.write(writer.attributes());
  HF_TRY(const WrittenSegment written, writer.finish());
  words_.clear();
  attributes_.clear();
  filters_.clear();
  blocks_.clear();
  text_bytes_ = 0;
  return written;
}

}  // namespace holdfast::search
