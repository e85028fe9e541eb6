// Any bytes as a page: the text is valid UTF-8, no longer than the page allows, and every line of it knows a line of the page.

#include "base/text/text.h"
#include "kinds/research/text/html.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  const std::string_view page(reinterpret_cast<const char*>(data), size);
  const research::HtmlText reduced = research::reduce_html(page);
  if (!is_valid_utf8(reduced.text) || !is_valid_utf8(reduced.title)) std::abort();
  if (reduced.text.size() > 3 * size) std::abort();  // a byte of Windows-1252 is at most three of UTF-8
  const auto lines = static_cast<std::size_t>(std::ranges::count(reduced.text, '\n')) + 1;
  if (reduced.lines.size() != (reduced.text.empty() ? 0 : lines)) std::abort();
  const auto source_lines = static_cast<std::size_t>(std::ranges::count(page, '\n')) + 1;
  if (!std::ranges::is_sorted(reduced.lines)) std::abort();
  for (const std::uint32_t line : reduced.lines)
    if (line < 1 || line > source_lines) std::abort();
  return 0;
}
