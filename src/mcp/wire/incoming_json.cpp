#include "mcp/wire/incoming_json.h"

#include "base/json/lone_surrogates.h"
#include "base/run/log.h"
#include "base/text/text.h"

#include <fmt/format.h>

namespace holdfast::mcp {

Result<Json> parse_incoming(std::string_view text, std::string_view from) {
  auto value = parse_json(text);
  if (value || value.error().kind != ErrorKind::invalid) return value;
  auto repaired = parse_json(without_lone_surrogates(to_valid_utf8(text)));
  if (!repaired) return value;
  log(LogLevel::info, "mcp", fmt::format("{} sent a message with what is no character; it reads U+FFFD instead", from));
  return repaired;
}

}  // namespace holdfast::mcp
