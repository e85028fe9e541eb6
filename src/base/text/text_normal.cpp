// The Unicode normal forms of text.h; all that needs utf8proc.

#include "base/text/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace holdfast {
namespace {

// utf8proc sorts a run of combining marks by exchanging neighbours: a megabyte of them would take
// minutes. Real text stays below 30 (the stream-safe format of UAX #15); a longer run is left as it is.
constexpr std::size_t kMaxCombiningRun = 128;

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool has_endless_combining_run(std::string_view text) {
  std::size_t run = 0;
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (length <= 0) return false;  // broken: mapping it will fail anyway
    run = utf8proc_get_property(code_point)->combining_class != 0 ? run + 1 : 0;
    if (run > kMaxCombiningRun) return true;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return false;
}

struct Free {
  void operator()(utf8proc_uint8_t* memory) const { std::free(memory); }
};

std::string map(std::string_view text, int options) {
  if (has_endless_combining_run(text)) return std::string(text);
  utf8proc_uint8_t* mapped = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &mapped, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, Free> owned(mapped);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)};
}

}  // namespace

std::string to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  return map(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string to_nfd(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  return map(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

std::string fold_case(std::string_view text) {
  if (is_ascii(text)) return to_ascii_lower(text);
  return map(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
}

}  // namespace holdfast
