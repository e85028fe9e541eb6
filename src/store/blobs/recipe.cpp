#include "store/blobs/recipe.h"

#include "base/crypto/hash.h"

#include <optional>

namespace holdfast::store {
namespace {

constexpr std::size_t kChecksum = 8;  // of SHA-256: the catalogue itself does not notice a changed byte

void put(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> get(std::string_view& from) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

// Ids follow each other mostly: the difference is small, and may be negative.
std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::string_view checksum_of(std::string_view bytes, Digest& digest) {
  digest = sha256(bytes);
  return bytes_of(digest).substr(0, kChecksum);
}

}  // namespace

std::string encode_recipe(const Recipe& recipe) {
  std::string out;
  std::int64_t last = 0;
  for (const RecipePart& part : recipe) {
    put(out, folded(part.chunk - last));
    put(out, part.size);
    last = part.chunk;
  }
  Digest digest;
  out += checksum_of(out, digest);
  return out;
}

Result<Recipe> decode_recipe(std::string_view bytes) {
  const auto damaged = [] { return fail(ErrorKind::corrupt, "a list of chunks is damaged"); };
  if (bytes.size() < kChecksum) return damaged();
  const std::string_view checksum = bytes.substr(bytes.size() - kChecksum);
  bytes.remove_suffix(kChecksum);
  Digest digest;
  if (checksum != checksum_of(bytes, digest)) return damaged();
  Recipe recipe;
  std::int64_t last = 0;
  while (!bytes.empty()) {
    const auto difference = get(bytes);
    const auto size = get(bytes);
    if (!difference || !size || *size > UINT32_MAX) return damaged();
    last += unfolded(*difference);
    recipe.push_back({last, static_cast<std::uint32_t>(*size)});
  }
  return recipe;
}

std::string encode_ids(const std::vector<std::int64_t>& ids) {
  std::string out;
  std::int64_t last = 0;
  for (const std::int64_t id : ids) {
    put(out, folded(id - last));
    last = id;
  }
  return out;
}

Result<std::vector<std::int64_t>> decode_ids(std::string_view bytes) {
  std::vector<std::int64_t> ids;
  std::int64_t last = 0;
  while (!bytes.empty()) {
    const auto difference = get(bytes);
    if (!difference) return fail(ErrorKind::corrupt, "a list of chunks is damaged");
    last += unfolded(*difference);
    ids.push_back(last);
  }
  return ids;
}

}  // namespace holdfast::store
