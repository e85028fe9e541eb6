#pragma once

// For tests: proposals that are simply there.

#include "kinds/documents/workspace/overlay.h"

#include <map>
#include <string>

namespace holdfast::documents {

class TestOverlay final : public Overlay {
 public:
  std::optional<std::string> proposed(std::string_view key, std::string_view) const override {
    const auto found = proposals.find(key);
    return found == proposals.end() ? std::nullopt : std::optional(found->second);
  }
  bool may_propose(std::string_view key) const override { return proposals.contains(key); }

  std::map<std::string, std::string, std::less<>> proposals;  // by key
};

}  // namespace holdfast::documents
