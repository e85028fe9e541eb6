// All questions to a scanner get the same answer about a line; what Boost.JSON takes, it takes; the values it takes
// apart are values by themselves, and what it finds lies inside the line.

#include "base/json/json.h"
#include "jsonl/scan.h"

#include <array>
#include <cstdint>

using namespace holdfast;
using namespace holdfast::jsonl;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void require_inside(std::string_view part, std::string_view line) {
  require(part.data() >= line.data() && part.data() + part.size() <= line.data() + line.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  Scanner scanner;
  const LineReport report = scanner.shape(line);

  static constexpr std::array<std::string_view, 3> kNames = {"type", "sessionId", "a"};
  std::array<Token, 3> found;
  require(scanner.fields(line, kNames, found).shape == report.shape);
  for (const Token& token : found) {
    if (token.kind == TokenKind::missing) continue;
    require(report.parsed());
    require_inside(token.raw, line);
    static_cast<void>(token.text());
  }

  std::vector<std::string_view> values;
  require(scanner.values(line, values).shape == report.shape);
  require(report.parsed() ? report.shape == LineShape::fused ? values.size() > 1 : values.size() == 1 : values.empty());
  if (values.size() > 16) values.resize(16);
  for (const std::string_view value : values) {
    require_inside(value, line);
    const LineShape alone = Scanner().shape(value).shape;
    require(alone == LineShape::object || alone == LineShape::not_object);
  }

  if (parse_json(line)) require(report.shape <= LineShape::not_object && report.valid_utf8);
  return 0;
}
