#pragma once

// The protocol versions we speak, in one table.
//
// Two eras: legacy versions begin with a handshake and let the server send requests; the modern one
// has neither, every request describes itself. Version strings are opaque: they are compared for
// equality only, their order is their place in this table.

#include <array>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

enum class Era { legacy, modern };

enum class Version { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::array<std::string_view, 5> kVersionNames = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                                  "2026-07-28"};
inline constexpr Version kNewestLegacy = Version::v2025_11_25;
inline constexpr Version kNewestModern = Version::v2026_07_28;

constexpr std::string_view name_of(Version version) {
  return kVersionNames[static_cast<std::size_t>(version)];
}

constexpr std::optional<Version> version_named(std::string_view name) {
  for (std::size_t i = 0; i < kVersionNames.size(); ++i)
    if (kVersionNames[i] == name) return static_cast<Version>(i);
  return std::nullopt;
}

constexpr Era era_of(Version version) {
  return version >= Version::v2026_07_28 ? Era::modern : Era::legacy;
}

}  // namespace holdfast::mcp
