// The input is a schema, a NUL byte, and a value. Nothing may crash or hang; and what the two ways
// of asking answer must agree.

#include "base/schema/schema.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t split = input.find('\0');
  const auto source = parse_json(input.substr(0, split));
  if (!source) return 0;
  SchemaLimits limits;
  limits.max_steps = 50'000;  // so that one input takes milliseconds
  limits.assert_formats = true;
  const auto schema = Schema::compile(*source, limits);
  if (!schema) return 0;
  const auto value = parse_json(split == std::string_view::npos ? std::string_view("{}") : input.substr(split + 1));
  const Json& tested = value ? *value : *source;  // a schema is a value, too
  const auto violations = schema->validate(tested);
  if (violations.empty() != schema->accepts(tested)) std::abort();
  if (!violations.empty() && describe(violations).empty()) std::abort();
  if (violations.size() > limits.max_violations) std::abort();
  return 0;
}
