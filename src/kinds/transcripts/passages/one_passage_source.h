#pragma once

// One conversation that is no source of the search, read as if it were: that of a session which only a backup has.

#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/lines/line_index.h"
#include "kinds/transcripts/passages/line_passages.h"

namespace holdfast::transcripts {

// One thread.
class OnePassageSource final : public search::PassageSources {
 public:
  OnePassageSource(reading::ByteSource bytes, LineIndex::Product product)
      : bytes_(std::move(bytes)), passages_(product == LineIndex::Product::codex ? codex_passages() : claude_passages()) {}

  Result<search::SourceList> list() override { return std::make_shared<const std::vector<search::Source>>(); }

  // Of whatever source it is asked.
  Result<Position> read(const search::Source&, Position from, std::uint64_t to,
                        const std::function<bool(const search::Passage&)>& take) override {
    auto lines = lines_of(bytes_, from.offset);
    for (Position at = from;;) {
      HF_TRY(const auto line, lines.next());
      if (!line || at.offset >= to || (line->ending.empty() && !line->overlong)) return at;
      const LinePlace place{at.offset, at.offset + line->bytes().size(), at.line};
      at = {place.end, at.line + (line->ending.empty() ? 0 : 1)};
      if (!line->overlong && !passages_->line(line->text, place, take)) return at;
    }
  }

 private:
  const reading::ByteSource bytes_;
  const std::unique_ptr<LinePassages> passages_;
};

}  // namespace holdfast::transcripts
