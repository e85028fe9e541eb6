#pragma once

// Text as the index compares it: the one folding that tokeniser, filter and verifier share.
//
// Case is folded, NFKC outside of ASCII; a run of white space becomes one blank; what is no UTF-8 becomes U+FFFD. Two texts match
// where their folded bytes do. It is a pure function of the whole text, so what a query sees and what the index saw cannot
// differ.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::store::index {

// Lower case into a buffer of at least that size; false when there is anything beyond ASCII, and the buffer is of no use then.
bool lower_ascii(std::string_view text, std::string& to);

// A buffer to use again and again; one thread.
class FoldedText {
 public:
  // Readable (and zero) behind the text, so that words are loaded eight bytes at a time.
  static constexpr std::size_t kPadding = 16;

  void assign(std::string_view text);

  std::string_view view() const { return {bytes_.data(), size_}; }
  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }

  // Where in the text given to assign() the character stands that became the folded byte at `offset`. `text` must be that text.
  std::size_t original_offset(std::string_view text, std::size_t offset) const;

  // Gives memory back after a text of unusual size.
  void shrink();

 private:
  void reserve(std::size_t more);
  std::size_t fold_plain(std::string_view text, std::size_t at);   // ASCII; returns where it ends
  std::size_t fold_beyond(std::string_view text, std::size_t at);  // a run of other bytes
  void mark(std::size_t at);

  std::vector<char> bytes_ = std::vector<char>(kPadding);
  std::size_t size_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> marks_;  // folded offset, original offset; about one a kilobyte
};

}  // namespace holdfast::store::index
