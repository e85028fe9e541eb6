#pragma once

// The versions of the few texts that were read or written last. Whoever works on a long document reads it again for every edit;
// to find that the bytes are those of the last time takes a tenth of hashing them (0.06 ms for 0.6 of 1 MB).
//
// Whole texts are compared, so an answer is as true as the hash: nothing is concluded from times or sizes of files. Any thread.

#include "base/crypto/hash.h"
#include "base/run/recent.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace holdfast::documents {

class TextVersions {
 public:
  // Hex SHA-256 of the text, which is remembered from then on.
  std::string version_of(std::string_view text) {
    if (text.size() < kWorthwhile || text.size() > kMaxBytes) return to_hex(sha256(text));
    if (auto known = known_.key_of(text)) return *std::move(known);
    std::string version = to_hex(sha256(text));
    remember(std::string(text), version);
    return version;
  }
  // Of one whose version is known.
  void remember(std::string text, std::string version) {
    if (text.size() < kWorthwhile || text.size() > kMaxBytes) return;
    known_.put(version, std::move(text));
  }

 private:
  // What is shorter is hashed in less time than it is worth remembering.
  static constexpr std::size_t kWorthwhile = 64 * 1024;
  // One document of the greatest size that can be edited, or the few that somebody goes to and fro between.
  static constexpr std::size_t kMaxBytes = 8 * 1024 * 1024;
  static constexpr std::size_t kMaxTexts = 4;

  Recent<std::string, std::string> known_{
      kMaxBytes, [](const std::string& text) { return std::max(text.size(), kMaxBytes / kMaxTexts); }};  // texts by version
};

}  // namespace holdfast::documents
