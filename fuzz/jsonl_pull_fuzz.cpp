// The pull parser and the scanner agree on what is JSON, however the bytes arrive; a span is one value, and a text in pieces is
// the text taken whole.

#include "jsonl/pull.h"
#include "jsonl/scan.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace holdfast;
using namespace holdfast::jsonl;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

PullParser parser_of(std::string_view document, std::size_t step) {
  return PullParser([document, step](char* to, std::size_t room) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({room, step, document.size()});
    if (count > 0) std::memcpy(to, document.data(), count);
    document.remove_prefix(count);
    return count;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 16;
  const std::string_view document(reinterpret_cast<const char*>(data) + 1, size - 1);

  const LineReport report = Scanner().shape(document);
  const bool valid = report.shape <= LineShape::not_object && !document.starts_with("\xEF\xBB\xBF");
  PullParser skipping = parser_of(document, step);
  const bool passed = skipping.skip().has_value() && skipping.finish().has_value();
  // A number of thousands of digits is JSON to the scanner and an attack to the parser.
  if (document.size() < 4096) require(passed == valid);
  if (!passed) return 0;

  PullParser whole = parser_of(document, step);
  const auto kind = whole.kind();
  if (*kind > ValueKind::string) return 0;
  const auto span = whole.span(document.size());
  require(span.has_value() && Scanner().shape(*span).shape <= LineShape::not_object);
  if (*kind != ValueKind::string) return 0;
  PullParser one = parser_of(document, step), pieces = parser_of(document, document.size());
  std::string gathered;
  require(pieces
              .text([&](std::string_view piece) -> Result<void> {
                gathered += piece;
                return {};
              })
              .has_value());
  require(one.text(document.size()).value() == gathered);
  return 0;
}
