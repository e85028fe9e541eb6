#include "store/index/tokens.h"

#include <utf8proc.h>

namespace holdfast::store::index {
namespace {

bool is_paired(std::uint32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace

CharacterKind kind_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length) {
  utf8proc_int32_t c = 0;
  const auto decoded = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                        static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  length = decoded > 0 ? static_cast<std::size_t>(decoded) : 1;
  if (decoded <= 0) return CharacterKind::other;
  if (c >= 0x4E00 && c <= 0x9FFF) return CharacterKind::paired;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return is_paired(static_cast<std::uint32_t>(c)) ? CharacterKind::paired : CharacterKind::letter;
    default:
      return CharacterKind::other;
  }
}

CharacterKind kind_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && end - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  std::size_t length = 1;
  return kind_at(text, at, length);
}

}  // namespace holdfast::store::index
