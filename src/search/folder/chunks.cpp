#include "search/folder/chunks.h"

#include "base/text/text.h"

namespace holdfast::search {
namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::vector<ChunkPlace> cut() {
    for (std::size_t at = 0; at < text_.size(); ++line_) {
      const std::size_t newline = text_.find('\n', at);
      const std::size_t end = newline == text_.npos ? text_.size() : newline + 1;
      take_line(at, end);
      at = end;
    }
    finish(text_.size(), line_ - 1);
    return std::move(chunks_);
  }

 private:
  void take_line(std::size_t at, std::size_t end) {
    if (end - begin_ > kMaxChunkBytes) finish(at, line_ - 1);
    while (end - begin_ > kMaxLineBytes) {
      const std::size_t piece = utf8_prefix(text_.substr(begin_), kMaxLineBytes).size();
      finish(begin_ + (piece == 0 ? kMaxLineBytes : piece), line_);
      first_line_ = line_;
    }
    const bool empty = trim(text_.substr(at, end - at)).empty();
    if (end - begin_ > kMaxChunkBytes || (empty && end - begin_ >= kChunkBytes)) finish(end, line_);
  }

  void finish(std::size_t end, std::uint32_t last_line) {
    if (end > begin_ && !trim(text_.substr(begin_, end - begin_)).empty())
      chunks_.push_back({static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(end - begin_), first_line_, last_line});
    begin_ = end;
    first_line_ = last_line + 1;
  }

  std::string_view text_;
  std::vector<ChunkPlace> chunks_;
  std::size_t begin_ = 0;
  std::uint32_t first_line_ = 1, line_ = 1;
};

}  // namespace

std::vector<ChunkPlace> cut_chunks(std::string_view text) {
  return Cutter(text).cut();
}

}  // namespace holdfast::search
