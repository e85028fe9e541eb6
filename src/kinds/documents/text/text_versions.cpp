#include "kinds/documents/text/text_versions.h"

#include "base/crypto/hash.h"

#include <algorithm>

namespace holdfast::documents {

std::string TextVersions::version_of(std::string_view text) {
  if (text.size() < kWorthwhile || text.size() > kMaxBytes) return to_hex(sha256(text));
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(known_, text, &Known::text);
    if (known != known_.end()) {
      known_.splice(known_.begin(), known_, known);
      return known->version;
    }
  }
  std::string version = to_hex(sha256(text));
  remember(std::string(text), version);
  return version;
}

void TextVersions::remember(std::string text, std::string version) {
  if (text.size() < kWorthwhile || text.size() > kMaxBytes) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& each) { return each.version == version; });
  known_.push_front({std::move(text), std::move(version)});
  std::size_t bytes = 0, texts = 0;
  std::erase_if(known_, [&](const Known& each) {
    bytes += each.text.size();
    return ++texts > kMaxTexts || bytes > kMaxBytes;
  });
}

}  // namespace holdfast::documents
