#include "search/index/manifest.h"

#include "base/files/file.h"
#include "search/index/segment/postings.h"

#include <fmt/format.h>

#include <cstring>

namespace holdfast::search {
namespace {

constexpr std::string_view kManifestMagic = "HFIDXM03";
constexpr std::size_t kMaxManifestBytes = 1 << 30;  // some millions of sources
constexpr ByteHash::Seed kChecksumSeed{0x6D616E6966657374, 0x686F6C6466617374};

void append_text(std::string& to, std::string_view text) {
  append_varint(to, text.size());
  to += text;
}

struct Reader {
  std::string_view bytes;
  std::size_t at = 0;
  bool good = true;

  std::uint64_t number() {
    std::uint64_t value = 0;
    good = good && read_varint(bytes, at, value);
    return good ? value : 0;
  }
  std::uint64_t fixed() {
    std::uint64_t value = 0;
    good = good && bytes.size() - at >= sizeof value;
    if (!good) return 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    good = good && size <= bytes.size() - at;
    if (!good) return {};
    at += size;
    return std::string(bytes.substr(at - size, size));
  }
};

void append_fixed(std::string& to, std::uint64_t value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Manifest Manifest::fresh() {
  Manifest manifest;
  manifest.seed = ByteHash::random_seed();
  // Not the names that an index before this one used: somebody may be about to open one of its files.
  manifest.next_segment = (ByteHash::random_seed().first >> 32) << 16;
  return manifest;
}

bool goes_on(const ManifestSource& entry, const Source& source, PassageSources& sources) {
  if (entry.incarnation != source.incarnation || entry.offset > source.size) return false;
  if (entry.offset == 0 || (entry.size == source.size && entry.stamp == source.stamp)) return true;
  // Clients append. What was written to and has the size it had was written over.
  if (entry.proof == 0) return true;
  if (entry.size == source.size) return false;
  const auto proof = sources.proof(source, entry.offset);
  return proof && *proof == entry.proof;
}

std::string manifest_path(const std::string& folder) {
  return folder + "/manifest";
}

std::string segment_path(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{:012x}.segment", folder, number);
}

std::string encode_manifest(const Manifest& manifest) {
  std::string bytes(kManifestMagic);
  append_fixed(bytes, manifest.seed.first);
  append_fixed(bytes, manifest.seed.second);
  append_varint(bytes, manifest.next_source);
  append_varint(bytes, manifest.next_segment);
  append_varint(bytes, manifest.segments.size());
  for (const ManifestSegment& segment : manifest.segments)
    for (const std::uint64_t value : {segment.number, segment.bytes, segment.text_bytes, segment.blocks})
      append_varint(bytes, value);
  append_varint(bytes, manifest.sources.size());
  for (const ManifestSource& source : manifest.sources) {
    append_text(bytes, source.key);
    append_text(bytes, source.incarnation);
    for (const std::uint64_t value : {source.number, source.offset, source.line, source.text_bytes, source.size})
      append_varint(bytes, value);
    append_fixed(bytes, source.stamp);
    append_fixed(bytes, source.proof);
  }
  append_fixed(bytes, ByteHash(kChecksumSeed)(bytes));
  return bytes;
}

std::optional<Manifest> decode_manifest(std::string_view bytes) {
  if (bytes.size() < kManifestMagic.size() + 8 || !bytes.starts_with(kManifestMagic)) return std::nullopt;
  Reader checksum{bytes.substr(bytes.size() - 8)};
  bytes.remove_suffix(8);
  if (checksum.fixed() != ByteHash(kChecksumSeed)(bytes)) return std::nullopt;
  Reader reader{bytes, kManifestMagic.size()};
  Manifest manifest;
  manifest.seed.first = reader.fixed();
  manifest.seed.second = reader.fixed();
  manifest.next_source = reader.number();
  manifest.next_segment = reader.number();
  for (std::uint64_t count = reader.number(); reader.good && count > 0; --count) {
    ManifestSegment segment;
    for (std::uint64_t* value : {&segment.number, &segment.bytes, &segment.text_bytes, &segment.blocks}) *value = reader.number();
    manifest.segments.push_back(segment);
  }
  for (std::uint64_t count = reader.number(); reader.good && count > 0; --count) {
    ManifestSource source;
    source.key = reader.text();
    source.incarnation = reader.text();
    for (std::uint64_t* value : {&source.number, &source.offset, &source.line, &source.text_bytes, &source.size})
      *value = reader.number();
    source.stamp = reader.fixed();
    source.proof = reader.fixed();
    manifest.sources.push_back(std::move(source));
  }
  if (!reader.good || reader.at != bytes.size()) return std::nullopt;
  return manifest;
}

Result<std::optional<Manifest>> read_manifest(const std::string& folder) {
  const auto bytes = read_file(manifest_path(folder), kMaxManifestBytes);
  if (bytes) return decode_manifest(*bytes);
  if (bytes.error().kind == ErrorKind::not_found) return std::nullopt;
  return fail(bytes.error());
}

Result<void> write_manifest(const std::string& folder, const Manifest& manifest) {
  HF_CHECK(sync_folder(folder));  // the names of the segments, before anything counts on them
  return replace_file(manifest_path(folder), encode_manifest(manifest));
}

}  // namespace holdfast::search
