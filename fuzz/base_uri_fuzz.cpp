// A canonical root is its own canonical form, is plain ASCII, and has a name that can be shown. A path
// survives the way through a URI.

#include "base/text/text.h"
#include "base/text/uri.h"

#include <algorithm>
#include <cstdint>

using namespace holdfast;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

bool is_printable_ascii(char c) {
  return c > 0x20 && c < 0x7F;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto root = canonical_root(text)) {
    require(std::all_of(root->begin(), root->end(), is_printable_ascii));
    const auto again = canonical_root(*root);
    require(again.has_value() && *again == *root);
    const std::string name = root_display_name(*root);
    require(!name.empty() && is_valid_utf8(name));
    if (const auto path = path_of_file_uri(*root)) {
      const auto from_path = canonical_root(*path);
      require(from_path.has_value() && *from_path == *root);
    }
  }
  if (text.find('\0') == text.npos) {
    const auto path = path_of_file_uri(file_uri_of_path("/" + text));
    require(path.has_value() && *path == "/" + text);
  }
  const auto decoded = percent_decode(percent_encode(text));
  require(decoded.has_value() && *decoded == text);
  static_cast<void>(percent_decode(text));
  static_cast<void>(path_of_file_uri(text));
  return 0;
}
