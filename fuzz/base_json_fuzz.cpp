// What parse_json accepts, the writer writes so that it reads back equal, and writing again changes
// nothing. The inside of a string literal decodes to the same text by both of our decoders.

#include "base/json/json.h"
#include "base/text/text.h"

#include <cstdint>

using namespace holdfast;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_strings(const Json& value) {
  if (const auto* text = value.if_string()) {
    std::string literal;
    append_json_string(literal, view(*text));
    require(is_valid_utf8(view(*text)));
    require(unescape_json_string(std::string_view(literal).substr(1, literal.size() - 2)) == view(*text));
  } else if (const auto* items = value.if_array()) {
    for (const Json& item : *items) check_strings(item);
  } else if (const auto* members = value.if_object()) {
    for (const auto& member : *members) check_strings(member.value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = parse_json(text);
  static_cast<void>(unescape_json_string(text));
  if (!value) return 0;

  const std::string written = to_json(*value);
  const auto again = parse_json(written);
  require(again.has_value());
  require(*again == *value);
  require(to_json(*again) == written);

  const auto pretty = parse_json(to_json_pretty(*value));
  require(pretty.has_value());
  require(*pretty == *value);
  check_strings(*value);
  return 0;
}
