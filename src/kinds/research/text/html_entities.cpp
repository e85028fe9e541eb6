#include "kinds/research/text/html_entities.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxEntityBytes = 12;  // "&thetasym;" and "&#x0010ffff;" are as long as sensible ones get
constexpr std::uint32_t kReplacement = 0xFFFD;

struct Entity {
  std::string_view name;
  std::uint32_t code_point;
};

// Those that prose uses; HTML knows two thousand. Sorted by name.
constexpr auto kEntities = std::to_array<Entity>({
    {"AElig", 0xC6},   {"Aacute", 0xC1},  {"Agrave", 0xC0},  {"Aring", 0xC5},  {"Auml", 0xC4},    {"Ccedil", 0xC7},
    {"Eacute", 0xC9},  {"Egrave", 0xC8},  {"Ntilde", 0xD1},  {"Oacute", 0xD3}, {"Oslash", 0xD8},  {"Ouml", 0xD6},
    {"Uacute", 0xDA},  {"Uuml", 0xDC},    {"aacute", 0xE1},  {"acirc", 0xE2},  {"acute", 0xB4},   {"aelig", 0xE6},
    {"agrave", 0xE0},  {"alpha", 0x3B1},  {"amp", '&'},      {"apos", '\''},   {"aring", 0xE5},   {"atilde", 0xE3},
    {"auml", 0xE4},    {"bdquo", 0x201E}, {"beta", 0x3B2},   {"bull", 0x2022}, {"ccedil", 0xE7},  {"cent", 0xA2},
    {"copy", 0xA9},    {"darr", 0x2193},  {"deg", 0xB0},     {"delta", 0x3B4}, {"divide", 0xF7},  {"eacute", 0xE9},
    {"ecirc", 0xEA},   {"egrave", 0xE8},  {"emsp", 0x2003},  {"ensp", 0x2002}, {"euml", 0xEB},    {"euro", 0x20AC},
    {"frac12", 0xBD},  {"gamma", 0x3B3},  {"ge", 0x2265},    {"gt", '>'},      {"harr", 0x2194},  {"hellip", 0x2026},
    {"iacute", 0xED},  {"icirc", 0xEE},   {"iexcl", 0xA1},   {"igrave", 0xEC}, {"infin", 0x221E}, {"iquest", 0xBF},
    {"iuml", 0xEF},    {"lambda", 0x3BB}, {"laquo", 0xAB},   {"larr", 0x2190}, {"ldquo", 0x201C}, {"le", 0x2264},
    {"lsquo", 0x2018}, {"lt", '<'},       {"mdash", 0x2014}, {"micro", 0xB5},  {"middot", 0xB7},  {"minus", 0x2212},
    {"mu", 0x3BC},     {"nbsp", ' '},     {"ndash", 0x2013}, {"ne", 0x2260},   {"ntilde", 0xF1},  {"oacute", 0xF3},
    {"ocirc", 0xF4},   {"oelig", 0x153},  {"ograve", 0xF2},  {"omega", 0x3C9}, {"oslash", 0xF8},  {"otilde", 0xF5},
    {"ouml", 0xF6},    {"para", 0xB6},    {"pi", 0x3C0},     {"plusmn", 0xB1}, {"pound", 0xA3},   {"quot", '"'},
    {"raquo", 0xBB},   {"rarr", 0x2192},  {"rdquo", 0x201D}, {"reg", 0xAE},    {"rsquo", 0x2019}, {"sect", 0xA7},
    {"shy", 0xAD},     {"sigma", 0x3C3},  {"sup2", 0xB2},    {"sup3", 0xB3},   {"szlig", 0xDF},   {"thinsp", 0x2009},
    {"times", 0xD7},   {"trade", 0x2122}, {"uacute", 0xFA},  {"uarr", 0x2191}, {"ucirc", 0xFB},   {"ugrave", 0xF9},
    {"uuml", 0xFC},    {"yen", 0xA5},     {"zwnj", 0x200C},
});
static_assert(std::ranges::is_sorted(kEntities, {}, &Entity::name));

// Windows-1252 from 0x80 on; the five holes are the controls they are in ISO 8859-1.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {
    0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178};

std::uint32_t sane(std::uint32_t code_point) {
  if (code_point >= 0x80 && code_point < 0xA0) return kWindows1252[code_point - 0x80];
  if (code_point == 0 || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return kReplacement;
  return code_point;
}

}  // namespace

std::uint32_t code_point_of_latin1(unsigned char byte) {
  return byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80U] : byte;
}

std::size_t append_entity(std::string_view text, std::string& out) {
  const std::size_t end = text.substr(0, kMaxEntityBytes).find(';');
  if (end == text.npos || end < 2) return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name[0] != '#') {
    const auto found = std::ranges::lower_bound(kEntities, name, {}, &Entity::name);
    if (found == kEntities.end() || found->name != name) return 0;
    append_utf8(out, found->code_point);
    return end + 1;
  }
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), number, hex ? 16 : 10);
  if (name.empty() || stop != name.data() + name.size()) return 0;
  append_utf8(out, problem == std::errc() ? sane(number) : kReplacement);
  return end + 1;
}

}  // namespace holdfast::research
