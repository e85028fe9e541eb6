#include "base/crypto/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <sys/random.h>

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

}  // namespace holdfast
