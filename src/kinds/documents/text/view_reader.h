#pragma once

// The text of a document as a reader of one view sees it, for what looks into many of them: grep, search, links.
//
// One a thread: its buffers are used again for the next document.

#include "kinds/documents/files/walk.h"
#include "kinds/documents/workspace/overlay.h"

#include <string>
#include <string_view>

namespace holdfast::documents {

// Larger files are data, not documents; every thread may hold one.
inline constexpr std::uint64_t kMaxSearchedBytes = 64 * 1024 * 1024;

enum class View { accepted, base, raw };

class ViewReader {
 public:
  enum class Outcome {
    text,
    not_text,   // NUL bytes or no UTF-8
    too_large,  // more than kMaxSearchedBytes
    gone        // or not to be read
  };

  // Both outlive it.
  ViewReader(Library& library, const Overlay& overlay) : library_(library), overlay_(overlay) {}

  Outcome read(const Place& place, View view);

  // Until the next read. A byte order mark is no part of the text.
  std::string_view text() const { return text_; }
  std::string_view raw() const { return {buffer_.data(), size_}; }
  bool has_carriage_return() const { return has_carriage_return_; }

 private:
  Outcome fill(const Place& place);
  void make_room(std::size_t bytes);
  bool check_piece(std::size_t bytes, bool is_last);

  Library& library_;
  const Overlay& overlay_;
  std::string buffer_;       // never shrinks below what it has been
  std::size_t size_ = 0;     // of it in use
  std::size_t checked_ = 0;  // of these are UTF-8
  bool has_brace_ = false, has_carriage_return_ = false;
  std::string made_;  // a view that differs from the bytes
  std::string_view text_;
};

// The bytes may hold markup: worth parsing.
bool may_hold_markup(std::string_view bytes);

}  // namespace holdfast::documents
