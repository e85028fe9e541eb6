#include "store/tables/parcel_place.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace holdfast::store {

using What = ParcelPlace::What;

std::string to_text(const ParcelPlace& place) {
  return fmt::format("{}{} {} {}{}", static_cast<char>(place.what), place.number, place.space.size(), place.space, place.name);
}

Result<ParcelPlace> parse_place(std::string_view text) {
  ParcelPlace place;
  if (text.empty()) return place;
  const auto broken = [] { return fail(ErrorKind::corrupt, "the place up to which a copy has come cannot be read"); };
  constexpr std::string_view kKinds = "setlv";
  if (!kKinds.contains(text.front())) return broken();
  place.what = static_cast<What>(text.front());
  std::size_t space = 0;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data() + 1, end, place.number);
  if (read.ec != std::errc{} || read.ptr == end) return broken();
  read = std::from_chars(read.ptr + 1, end, space);
  if (read.ec != std::errc{} || read.ptr == end || space > static_cast<std::size_t>(end - read.ptr - 1)) return broken();
  place.space.assign(read.ptr + 1, space);
  place.name.assign(read.ptr + 1 + space, end);
  return place;
}

std::string next_kind(const ParcelPlace& place) {
  constexpr std::array kOrder = {What::sessions, What::entries, What::tombstones, What::lineage, What::values};
  for (std::size_t i = 0; i + 1 < kOrder.size(); ++i) {
    if (kOrder[i] == place.what) return to_text({kOrder[i + 1], 0, {}, {}});
  }
  return {};
}

}  // namespace holdfast::store
