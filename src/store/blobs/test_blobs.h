#pragma once

// For tests: texts like transcripts, and files in memory to be kept.

#include "session/blobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace holdfast::store {

// Lines of made-up records; the same seed gives the same. Each carries the session's id.
inline std::string made_up_lines(unsigned seed, std::size_t bytes, const std::string& session = "00000000-session") {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) {
    std::string words;
    for (std::size_t i = random() % 60 + 5; i > 0; --i) words += fmt::format("{:x} ", random() % 5000);
    text += fmt::format(R"({{"type":"user","uuid":"{:016x}","sessionId":"{}","message":{{"content":"{}"}}}})"
                        "\n",
                        random(), session, words);
  }
  text.resize(bytes);
  return text;
}

// `stamp` is its incarnation.
inline session::Blobs::Incoming incoming(std::string key, const std::string& bytes, std::string stamp) {
  session::Blobs::Incoming file;
  file.key = std::move(key);
  file.incarnation = std::move(stamp);
  file.modified_at = 1000;
  file.read = [&bytes](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
    if (offset >= bytes.size()) return 0;
    const std::size_t count = std::min(to.size(), bytes.size() - static_cast<std::size_t>(offset));
    std::memcpy(to.data(), bytes.data() + offset, count);
    return count;
  };
  return file;
}

inline Result<std::string> read_kept(session::Blobs& blobs, const session::KeptFile& file) {
  std::string bytes(file.size + 1, '\0');
  HF_TRY(const std::size_t got, blobs.read(file, 0, bytes));
  bytes.resize(got);
  return bytes;
}

inline Result<std::string> read_newest(session::Blobs& blobs, std::string_view key) {
  HF_TRY(const auto file, blobs.file(key));
  if (!file) return fail(ErrorKind::not_found, std::string(key));
  return read_kept(blobs, *file);
}

}  // namespace holdfast::store
