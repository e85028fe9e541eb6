#include "search/index/segment/lexicon.h"

#include "base/text/find_bytes.h"

#include <algorithm>
#include <cstring>

namespace holdfast::search {
namespace {

// After so many terms it is asked whether a search inside of words still tells blocks apart.
constexpr std::size_t kLookEvery = 512;

}  // namespace

void LexiconWriter::add(std::string_view term, std::span<const std::uint32_t> blocks) {
  if (terms_++ % kTermsPerEntry == 0)
    table_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(postings_.size())});
  (text_ += term) += kTermEnd;
  append_postings(postings_, blocks, block_count_);
}

std::optional<Lexicon> Lexicon::over(std::string_view text, std::string_view table, std::string_view postings,
                                     std::size_t block_count) {
  Lexicon lexicon;
  lexicon.text_ = text;
  lexicon.table_ = table;
  lexicon.postings_ = postings;
  lexicon.block_count_ = block_count;
  lexicon.entries_ = table.size() / sizeof(LexiconEntry);
  if (table.size() % sizeof(LexiconEntry) != 0 || text.empty() != (lexicon.entries_ == 0)) return std::nullopt;
  if (!text.empty() && text.back() != kTermEnd) return std::nullopt;
  for (std::size_t i = 0; i < lexicon.entries_; ++i) {
    const LexiconEntry now = lexicon.entry(i), before = i == 0 ? LexiconEntry{} : lexicon.entry(i - 1);
    const bool rises = i == 0 ? now.text == 0 && now.postings == 0 : now.text > before.text && now.postings > before.postings;
    if (!rises || now.text >= text.size() || now.postings >= postings.size()) return std::nullopt;
    if (i > 0 && text[now.text - 1] != kTermEnd) return std::nullopt;
  }
  return lexicon;
}

LexiconEntry Lexicon::entry(std::size_t index) const {
  LexiconEntry entry;
  std::memcpy(&entry, table_.data() + index * sizeof entry, sizeof entry);
  return entry;
}

std::string_view Lexicon::term_at(std::size_t offset) const {
  return text_.substr(offset, text_.find(kTermEnd, offset) - offset);
}

std::string_view Lexicon::first_term(std::size_t index) const {
  return term_at(entry(index).text);
}

std::size_t Lexicon::entry_before(std::string_view term) const {
  std::size_t low = 0, high = entries_;  // the answer is below high
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (first_term(middle) <= term ? low : high) = middle;
  }
  return low;
}

bool Lexicon::find(std::string_view term, BlockSet& to) const {
  if (entries_ == 0) return true;
  const LexiconEntry start = entry(entry_before(term));
  std::size_t text_at = start.text, postings_at = start.postings;
  for (std::size_t i = 0; i < kTermsPerEntry && text_at < text_.size(); ++i) {
    const std::string_view here = term_at(text_at);
    if (here == term) return add_postings(postings_, postings_at, to);
    if (here > term) return true;
    if (!skip_postings(postings_, postings_at, block_count_)) return false;
    text_at += here.size() + 1;
  }
  return true;
}

bool Lexicon::find_prefix(std::string_view prefix, std::size_t most, BlockSet& to, bool& too_many) const {
  if (entries_ == 0) return true;
  const LexiconEntry start = entry(entry_before(prefix));
  std::size_t text_at = start.text, postings_at = start.postings;
  for (std::size_t found = 0; text_at < text_.size();) {
    const std::string_view here = term_at(text_at);
    if (here.starts_with(prefix)) {
      if (++found > most) {
        too_many = true;
        return true;
      }
      if (!add_postings(postings_, postings_at, to)) return false;
    } else {
      if (here > prefix) return true;
      if (!skip_postings(postings_, postings_at, block_count_)) return false;
    }
    text_at += here.size() + 1;
  }
  return true;
}

bool Lexicon::find_inside(std::string_view needle, bool at_end, const BlockSet& wanted, BlockSet& to, bool& common) const {
  const ByteFinder finder(at_end ? std::string(needle) + kTermEnd : std::string(needle));
  const std::size_t most = wanted.count() / 2;
  std::size_t index = 0, text_at = 0, postings_at = 0, found = 0;
  std::size_t from = 0;
  while (from < text_.size()) {
    const std::size_t place = finder.find(text_, from);
    if (place == std::string_view::npos) return true;
    // To the entry that holds it: forward, mostly by little.
    if (index + 1 < entries_ && entry(index + 1).text <= place) {
      std::size_t step = 1;
      while (index + step < entries_ && entry(index + step).text <= place) {
        index += step;
        step *= 2;
      }
      while (step > 0) {
        if (index + step < entries_ && entry(index + step).text <= place) index += step;
        step /= 2;
      }
      text_at = entry(index).text;
      postings_at = entry(index).postings;
    }
    for (;;) {
      const std::size_t end = text_.find(kTermEnd, text_at);
      if (end == std::string_view::npos) return false;
      text_at = end + 1;
      if (place <= end) break;
      if (!skip_postings(postings_, postings_at, block_count_)) return false;
    }
    if (!add_postings(postings_, postings_at, to)) return false;
    from = text_at;
    if (++found % kLookEvery == 0) {
      BlockSet useful = to;
      useful.keep(wanted);
      if (useful.count() > most) {
        common = true;
        return true;
      }
    }
  }
  return true;
}

bool Lexicon::each_with_prefix(std::string_view prefix, const std::function<bool(std::string_view)>& take) const {
  if (entries_ == 0) return true;
  for (std::size_t at = entry(entry_before(prefix)).text; at < text_.size();) {
    const std::string_view here = term_at(at);
    if (here.starts_with(prefix)) {
      if (!take(here)) return true;
    } else if (here > prefix) {
      return true;
    }
    at += here.size() + 1;
  }
  return true;
}

bool LexiconCursor::next() {
  const std::string_view text = lexicon_->text();
  if (damaged_ || text_at_ >= text.size()) return false;
  const std::size_t end = text.find(kTermEnd, text_at_);
  const std::string_view before = term_;
  const bool first = text_at_ == 0;
  if (end != std::string_view::npos) term_ = text.substr(text_at_, end - text_at_);
  damaged_ = end == std::string_view::npos || (!first && term_ <= before) ||
             !read_postings(lexicon_->postings(), postings_at_, lexicon_->block_count(), blocks_) || blocks_.empty();
  text_at_ = end + 1;
  return !damaged_;
}

}  // namespace holdfast::search
