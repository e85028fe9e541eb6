#include "base/crypto/resumable_sha256.h"

#include <openssl/sha.h>

#include <algorithm>

// The one interface of OpenSSL that shows the state between two blocks. It is deprecated in favour of EVP, which does not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace holdfast {
namespace {

constexpr std::size_t kStateHead = 8 * 4 + 8;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint64_t get(std::string_view& from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(from[i]);
  from.remove_prefix(bytes);
  return value;
}

// A context that stands at a whole block.
SHA256_CTX context_of(const std::array<std::uint32_t, 8>& words, std::uint64_t whole_bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::copy(words.begin(), words.end(), context.h);
  const std::uint64_t bits = whole_bytes * 8;
  context.Nl = static_cast<SHA_LONG>(bits);
  context.Nh = static_cast<SHA_LONG>(bits >> 32);
  return context;
}

}  // namespace

ResumableSha256::ResumableSha256() {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::copy(std::begin(context.h), std::end(context.h), words_.begin());
}

std::optional<ResumableSha256> ResumableSha256::from_state(std::string_view state) {
  if (state.size() < kStateHead) return std::nullopt;
  ResumableSha256 hash;
  for (std::uint32_t& word : hash.words_) word = static_cast<std::uint32_t>(get(state, 4));
  hash.size_ = get(state, 8);
  if (state.size() != hash.size_ % kBlock) return std::nullopt;
  hash.rest_ = state;
  return hash;
}

void ResumableSha256::add(std::string_view bytes) {
  SHA256_CTX context = context_of(words_, size_ - rest_.size());
  size_ += bytes.size();
  // Only whole blocks go in, so that the words are all there is to keep.
  if (!rest_.empty()) {
    const std::size_t taken = std::min(kBlock - rest_.size(), bytes.size());
    rest_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (rest_.size() < kBlock) return;
    SHA256_Update(&context, rest_.data(), rest_.size());
    rest_.clear();
  }
  const std::size_t whole = bytes.size() - bytes.size() % kBlock;
  SHA256_Update(&context, bytes.data(), whole);
  rest_ = bytes.substr(whole);
  std::copy(std::begin(context.h), std::end(context.h), words_.begin());
}

Digest ResumableSha256::digest() const {
  SHA256_CTX context = context_of(words_, size_ - rest_.size());
  SHA256_Update(&context, rest_.data(), rest_.size());
  Digest digest;
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string ResumableSha256::state() const {
  std::string out;
  out.reserve(kStateHead + rest_.size());
  for (const std::uint32_t word : words_) put(out, word, 4);
  put(out, size_, 8);
  out += rest_;
  return out;
}

}  // namespace holdfast

#pragma GCC diagnostic pop
