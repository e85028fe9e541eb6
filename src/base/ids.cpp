#include "base/ids.h"

#include "base/crypto/hash.h"

#include <chrono>
#include <cstdint>
#include <mutex>

namespace holdfast {
namespace {

constexpr std::uint16_t kCounterBits = 12;  // the field rand_a of RFC 9562 §5.7
constexpr std::uint16_t kCounterEnd = 1 << kCounterBits;
constexpr std::uint16_t kCounterSeedMask = kCounterEnd / 2 - 1;  // a random start that leaves half of the room

struct Tick {
  std::uint64_t millis = 0;
  std::uint16_t counter = 0;
};

// Strictly increasing within the process. When a millisecond is used up, or the clock steps back,
// it runs ahead of the clock until that has caught up.
Tick next_tick(std::uint16_t seed) {
  static std::mutex mutex;
  static Tick last;
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto now = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count());
  const std::lock_guard lock(mutex);
  if (now > last.millis) {
    last = {now, static_cast<std::uint16_t>(seed & kCounterSeedMask)};
  } else if (++last.counter == kCounterEnd) {
    last = {last.millis + 1, 0};
  }
  return last;
}

std::string format_uuid(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(kUuidLength);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::string stamped_uuid(std::string bytes, unsigned version) {
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | (version << 4));
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  return format_uuid(bytes);
}

}  // namespace

std::string make_uuid7() {
  std::string bytes = random_bytes(16);
  const auto seed = static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[6]) << 8 | static_cast<unsigned char>(bytes[7]));
  const Tick tick = next_tick(seed);
  for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<char>(tick.millis >> (40 - 8 * i));
  bytes[6] = static_cast<char>(tick.counter >> 8);
  bytes[7] = static_cast<char>(tick.counter);
  return stamped_uuid(std::move(bytes), 7);
}

std::string make_uuid4() {
  return stamped_uuid(random_bytes(16), 4);
}

bool is_uuid(std::string_view text) {
  if (text.size() != kUuidLength) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (hyphen ? c != '-' : !hex) return false;
  }
  return true;
}

std::string random_base62(std::size_t length) {
  constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr unsigned kFair = 256 / 62 * 62;  // bytes from here on would favour the first characters
  std::string text;
  text.reserve(length);
  while (text.size() < length) {
    for (const char random : random_bytes(length - text.size())) {
      const auto byte = static_cast<unsigned char>(random);
      if (byte < kFair) text += kAlphabet[byte % 62];
    }
  }
  return text;
}

std::string random_base32(std::size_t length) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string text = random_bytes(length);
  for (char& c : text) c = kAlphabet[static_cast<unsigned char>(c) % 32];
  return text;
}

std::string make_handle() {
  return to_base64url(random_bytes(16));
}

}  // namespace holdfast
