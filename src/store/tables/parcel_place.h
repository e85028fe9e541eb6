#pragma once

// Where a copy of a store has come to (session/store_transfer.h), as text that is kept in the target.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::store {

struct ParcelPlace {
  // In the order they are copied.
  enum class What : char { sessions = 's', entries = 'e', tombstones = 't', lineage = 'l', values = 'v' } what = What::sessions;
  std::int64_t number = 0;  // entries and lineage: behind this one
  std::string space;        // values: behind this one
  std::string name;         // sessions and tombstones: the id; values: the key
};

std::string to_text(const ParcelPlace& place);
Result<ParcelPlace> parse_place(std::string_view text);  // "" is the beginning

// The beginning of what comes behind; "" behind the last.
std::string next_kind(const ParcelPlace& place);

}  // namespace holdfast::store
