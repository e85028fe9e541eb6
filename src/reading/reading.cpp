#include "reading/reading.h"

#include <fmt/format.h>

namespace holdfast::reading {

Result<ImageBytes> Reading::image(std::string_view reference) {
  return fail(ErrorKind::not_found, fmt::format("there is no image {} in this session", reference));
}

Result<ByteSource> Reading::whole_record(std::uint64_t line) {
  return fail(ErrorKind::not_found, fmt::format("there is no line {} in this session", line));
}

Result<ByteSource> Reading::saved_file(std::string_view reference) {
  return fail(ErrorKind::not_found, fmt::format("there is no file {} in this session", reference));
}

Result<std::unique_ptr<Reading>> Reading::subagent(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no subagent {} in this session", id));
}

Result<void> each_window(Reading& reading, const ReadLimits& limits, const std::function<Result<void>(Window&)>& take) {
  WindowQuery query;
  query.limits = limits;
  // Every window shows a line or more of its own; one that goes round would keep us for ever.
  for (std::uint64_t windows = 0;; ++windows) {
    HF_TRY(Window window, reading.window(query));
    HF_CHECK(take(window));
    if (!window.next) return {};
    if (*window.next == query.from || windows > window.last_line)
      return fail(ErrorKind::internal, fmt::format("no way on behind line {}", query.from));
    query.from = *window.next;
  }
}

Result<void> each_turn(Reading& reading, const ReadLimits& limits, const std::function<Result<void>(Turn&)>& take) {
  return each_window(reading, limits, [&](Window& window) -> Result<void> {
    for (Turn& turn : window.turns) HF_CHECK(take(turn));
    return {};
  });
}

}  // namespace holdfast::reading
