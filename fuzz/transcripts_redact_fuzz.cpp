// Any bytes: secrets are in order and inside the text, what stands between them is kept, and nothing takes more than linear time.

#include "kinds/transcripts/rewrite/redact.h"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast::transcripts;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string expected;
  std::size_t copied = 0;
  std::uint64_t count = 0;
  for (const Secret& secret : find_secrets(text)) {
    if (secret.from < copied || secret.to <= secret.from || secret.to > size || secret.shape.empty()) std::abort();
    expected += std::string(text.substr(copied, secret.from - copied)) + "[redacted:" + std::string(secret.shape) + "]";
    copied = secret.to;
    ++count;
  }
  expected += text.substr(copied);
  std::uint64_t counted = 0;
  if (redact(text, &counted) != expected || counted != count) std::abort();
  return 0;
}
