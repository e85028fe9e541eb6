#include "kinds/reasoning/read/one_line.h"

#include "base/text/text.h"

namespace holdfast::reasoning {

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = byte <= 0x20 || byte == 0x7F;
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return std::string(trim(out));
}

}  // namespace holdfast::reasoning
