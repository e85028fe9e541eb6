#pragma once

// Credentials of known shapes, masked (transcript-archive §8.9): API keys, tokens, private keys, passwords in URLs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

struct Secret {
  std::size_t from = 0, to = 0;
  std::string_view shape;  // "anthropic-key", "github-token", ...
};
// From left to right, never overlapping; linear time.
std::vector<Secret> find_secrets(std::string_view text);
// "[redacted:github-token]" in their place.
std::string redact(std::string_view text, std::uint64_t* count = nullptr);

}  // namespace holdfast::transcripts
