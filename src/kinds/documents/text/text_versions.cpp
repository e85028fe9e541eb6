#include "kinds/documents/text/text_versions.h"

#include "base/crypto/hash.h"

namespace holdfast::documents {

std::string TextVersions::version_of(std::string_view text) {
  if (text.size() < kWorthwhile || text.size() > kMaxBytes) return to_hex(sha256(text));
  if (auto known = known_.key_of(text)) return *std::move(known);
  std::string version = to_hex(sha256(text));
  remember(std::string(text), version);
  return version;
}

void TextVersions::remember(std::string text, std::string version) {
  if (text.size() < kWorthwhile || text.size() > kMaxBytes) return;
  known_.put(version, std::move(text));
}

}  // namespace holdfast::documents
