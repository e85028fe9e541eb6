#include "documents/view_reader.h"

#include "base/path_below.h"
#include "base/text.h"
#include "documents/delimiters.h"
#include "documents/views.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace holdfast::documents {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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
  for (;;) {
    const ssize_t got = ::read(file->get(), buffer_.data() + size_, buffer_.size() - size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Outcome::gone;
    size_ += static_cast<std::size_t>(got);
    if (got == 0 || size_ == expected) return Outcome::text;
    if (size_ > kMaxSearchedBytes) return Outcome::too_large;
    if (size_ == buffer_.size()) make_room(2 * size_);  // it grows while we read
  }
}

ViewReader::Outcome ViewReader::read(const Place& place, View view) {
  text_ = {};
  const Outcome filled = fill(place);
  if (filled != Outcome::text) return filled;
  if (size_ > 0 && std::memchr(buffer_.data(), 0, size_)) return Outcome::not_text;
  text_ = raw();
  if (!is_valid_utf8(text_)) {
    text_ = {};
    return Outcome::not_text;
  }
  if (!place.reviewed) {
    if (view == View::accepted) {
      if (auto proposed = overlay_.proposed(place.key, text_)) {
        made_ = *std::move(proposed);
        text_ = made_;
      }
    }
  } else if (view != View::raw && may_hold_markup(text_)) {
    made_ = view_of(text_, view == View::accepted ? Side::accepted : Side::base);
    text_ = made_;
  }
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  return Outcome::text;
}

}  // namespace holdfast::documents
