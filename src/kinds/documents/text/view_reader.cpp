#include "kinds/documents/text/view_reader.h"

#include "base/files/path_below.h"
#include "base/text/text.h"
#include "kinds/documents/text/delimiters.h"
#include "kinds/documents/text/views.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::documents {

namespace {

// Fits into the cache nearest to a core, so that what was read is checked where it still is.
constexpr std::size_t kReadAtOnce = 256 * 1024;
constexpr std::size_t kMaxCharacterBytes = 4;

}  // namespace

bool may_hold_markup(std::string_view bytes) {
  for (std::size_t at = bytes.find('{'); at != std::string_view::npos; at = bytes.find('{', at + 1))
    if (opener_at(bytes, at)) return true;
  return false;
}

// Without writing into it first: most of a large buffer would be written twice.
void ViewReader::make_room(std::size_t bytes) {
  if (buffer_.size() < bytes) buffer_.resize_and_overwrite(bytes, [](char*, std::size_t size) { return size; });
}

ViewReader::Outcome ViewReader::fill(const Place& place) {
  // The place is resolved already; a link that stands there now was put there since.
  const auto file =
      open_below(library_.folder_of(place), place.relative, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0, Links::refuse);
  struct stat status{};
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return Outcome::gone;
  const auto expected = static_cast<std::uint64_t>(status.st_size);
  if (expected > kMaxSearchedBytes) return Outcome::too_large;
  make_room(expected + 1);  // one more, to see the end in the same call
  size_ = 0;
  checked_ = 0;
  has_brace_ = has_carriage_return_ = false;
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer_.data() + size_, std::min(buffer_.size() - size_, kReadAtOnce));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Outcome::gone;
    size_ += static_cast<std::size_t>(got);
    const bool ended = got == 0 || size_ == expected;
    if (!check_piece(static_cast<std::size_t>(got), ended)) return Outcome::not_text;
    if (ended) return Outcome::text;
    if (size_ > kMaxSearchedBytes) return Outcome::too_large;
    if (size_ == buffer_.size()) make_room(2 * size_);  // it grows while we read
  }
}

// Looks at the last bytes read while they are in the cache.
bool ViewReader::check_piece(std::size_t bytes, bool is_last) {
  const std::string_view piece(buffer_.data() + size_ - bytes, bytes);
  if (piece.find('\0') != std::string_view::npos) return false;
  has_brace_ = has_brace_ || piece.find('{') != std::string_view::npos;
  has_carriage_return_ = has_carriage_return_ || piece.find('\r') != std::string_view::npos;
  // A character at the end may go on in the next piece.
  std::size_t end = size_;
  if (!is_last)
    while (end > checked_ && size_ - end < kMaxCharacterBytes && static_cast<unsigned char>(buffer_[end - 1]) >= 0x80) --end;
  if (!is_valid_utf8(raw().substr(checked_, end - checked_))) return false;
  checked_ = end;
  return true;
}

ViewReader::Outcome ViewReader::read(const Place& place, View view) {
  text_ = {};
  const Outcome filled = fill(place);
  if (filled != Outcome::text) return filled;
  text_ = raw();
  if (!place.reviewed) {
    if (view == View::accepted) {
      if (auto proposed = overlay_.proposed(place.key, text_)) {
        made_ = *std::move(proposed);
        has_carriage_return_ = made_.find('\r') != std::string::npos;
        text_ = made_;
      }
    }
  } else if (view != View::raw && has_brace_ && may_hold_markup(text_)) {
    made_ = view_of(text_, view == View::accepted ? Side::accepted : Side::base);
    text_ = made_;
  }
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  return Outcome::text;
}

}  // namespace holdfast::documents
