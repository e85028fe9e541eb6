// The event parser on hostile bytes: portions must not matter, limits must hold, and an event that was
// read must survive being written and read again. The first byte chooses the portions.

#include "net/http/sse.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using holdfast::net::SseEvent;
using holdfast::net::SseParser;

constexpr std::size_t kMaxEvent = 300;

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const SseEvent& a, const SseEvent& b) {
  return a.id == b.id && a.event == b.event && a.data == b.data && a.retry_ms == b.retry_ms;
}

std::vector<SseEvent> parse(std::string_view bytes, std::size_t portion, std::size_t limit) {
  std::vector<SseEvent> events;
  SseParser parser([&](SseEvent event) { events.push_back(std::move(event)); }, limit);
  bool accepted = true;
  for (std::size_t at = 0; at < bytes.size() && accepted; at += portion) accepted = parser.feed(bytes.substr(at, portion));
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<SseEvent> whole = parse(bytes, bytes.size() + 1, kMaxEvent);
  const std::vector<SseEvent> parts = parse(bytes, 1 + data[0] % 32, kMaxEvent);
  require(whole.size() == parts.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    require(same(whole[i], parts[i]));
    require(whole[i].data.size() <= kMaxEvent);
    std::string again;
    append_sse(again, whole[i]);
    const std::vector<SseEvent> reread = parse(again, 7, 10 * kMaxEvent + 100);
    require(reread.size() == 1 && same(reread[0], whole[i]));
  }
  return 0;
}
