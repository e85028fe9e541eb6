#pragma once

// What the index consists of: its segments, and how far each source is in them. One small file, replaced as a whole, so that a
// reader sees the index before or after a change, never between.

#include "base/crypto/byte_hash.h"
#include "base/result.h"
#include "search/index/passages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

struct ManifestSource {
  std::uint64_t number = 0;  // in the blocks of segments; never used again, so blocks of an unknown number are dead
  std::string key, incarnation;
  std::uint64_t offset = 0, line = 1;  // what lies before is indexed
  std::uint64_t text_bytes = 0;        // of that
  // As it was then: a source with the same size and stamp was not written to, one that has others must prove that what is indexed
  // of it still stands there.
  std::uint64_t size = 0, stamp = 0, proof = 0;
};

// Whether what is indexed of the source still stands in it. Reads a few kilobytes of those that were written to since.
bool goes_on(const ManifestSource& entry, const Source& source, PassageSources& sources);

struct ManifestSegment {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0, text_bytes = 0, blocks = 0;
};

struct Manifest {
  ByteHash::Seed seed;
  std::uint64_t next_source = 1, next_segment = 1;
  std::vector<ManifestSource> sources;
  std::vector<ManifestSegment> segments;

  static Manifest fresh();  // empty, with a seed of its own
};

std::string manifest_path(const std::string& folder);
std::string segment_path(const std::string& folder, std::uint64_t number);

// nullopt: there is none, or what is there is none of ours (the index is a cache, so it is as good as missing). Errors: io.
Result<std::optional<Manifest>> read_manifest(const std::string& folder);
// Segments must be in place. Durable when it returns.
Result<void> write_manifest(const std::string& folder, const Manifest& manifest);

std::string encode_manifest(const Manifest& manifest);
std::optional<Manifest> decode_manifest(std::string_view bytes);

}  // namespace holdfast::search
