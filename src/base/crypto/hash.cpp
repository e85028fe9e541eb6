#include "base/crypto/hash.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <random>

namespace holdfast {
namespace {

// Fetched once: OpenSSL 3 otherwise looks the algorithm up again for every digest.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

// With these algorithms OpenSSL fails for want of memory only. A made-up digest would compare equal
// to another made-up digest, so this ends like any other allocation that fails.
void require(bool success) {
  if (!success) throw std::bad_alloc();
}

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Values = std::array<std::int8_t, 256>;  // -1: not in the alphabet

constexpr Values values_of(std::string_view alphabet) {
  Values values;
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr Values kStandardValues = values_of(kStandard);
constexpr Values kUrlValues = values_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j <= count; ++j) *out++ = alphabet[group >> (18 - 6 * j) & 63];
  }
  if (!padded) text.resize(static_cast<std::size_t>(out - text.data()));
  return text;
}

// text without padding. One text for every value: left-over bits have to be zero.
Result<std::string> decode(std::string_view text, const Values& values) {
  if (text.size() % 4 == 1) return fail(ErrorKind::invalid, "not valid base64: wrong length");
  std::string bytes(text.size() * 3 / 4, '\0');
  char* out = bytes.data();
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::int8_t value = values[static_cast<unsigned char>(text[i])];
    if (value < 0) return fail(ErrorKind::invalid, fmt::format("not valid base64: foreign character at byte {}", i));
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      *out++ = static_cast<char>(bits >> held);
      bits &= (1U << held) - 1;
    }
  }
  if (bits != 0) return fail(ErrorKind::invalid, "not valid base64: the last character has stray bits");
  return bytes;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Digest digest;
  require(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, sha256_algorithm(), nullptr) == 1);
  return digest;
}

struct Sha256::State {
  struct Free {
    void operator()(EVP_MD_CTX* freed) const { EVP_MD_CTX_free(freed); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};

  void begin() { require(context && EVP_DigestInit_ex2(context.get(), sha256_algorithm(), nullptr) == 1); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  state_->begin();
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  Digest digest;
  require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr) == 1);
  state_->begin();
  return digest;
}

Digest Sha256::digest() const {
  State copy;
  Digest digest;
  require(copy.context && EVP_MD_CTX_copy_ex(copy.context.get(), state_->context.get()) == 1 &&
          EVP_DigestFinal_ex(copy.context.get(), digest.data(), nullptr) == 1);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  Digest digest;
  unsigned length = 0;
  // A null key would mean "the key of the last call".
  const char* key_data = key.empty() ? "" : key.data();
  require(HMAC(sha256_algorithm(), key_data, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
               bytes.size(), digest.data(), &length) != nullptr);
  return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got = ::getrandom(bytes.data() + filled, count - filled, 0);
    if (got >= 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      // A sandbox without getrandom: the library finds another source or throws. Guessable secrets
      // would be worse than either.
      std::random_device device;
      for (; filled < count; ++filled) bytes[filled] = static_cast<char>(device());
    }
  }
  return bytes;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_base64(std::string_view bytes) {
  return encode(bytes, kStandard, true);
}

std::string to_base64url(std::string_view bytes) {
  return encode(bytes, kUrl, false);
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return fail(ErrorKind::invalid, "not valid base64: wrong length");
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, kStandardValues);
}

Result<std::string> from_base64url(std::string_view text) {
  return decode(text, kUrlValues);
}

}  // namespace holdfast
