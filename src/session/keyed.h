#pragma once

// Keyed values: small durable JSON under (namespace, key), for what is not a session: handles,
// nonces, tokens, tasks, transport sessions, settings of the store itself.
//
// A value whose expiry has passed (by the store's clock) is not there any more, whether or not its
// bytes have been purged yet. `rev` starts at 1 and grows with every put. It starts again when a key
// is erased and put anew: whoever must not mistake the new one for the old keeps the key and puts an
// empty value instead.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::session {

struct KeyedValue {
  std::string space;
  std::string key;
  Json value;
  std::int64_t rev = 0;
  Millis updated_at = 0;
  std::optional<Millis> expires_at;
};

// Condition of a put or an erase.
struct Expect {
  enum class What { anything, absent, rev } what = What::anything;
  std::int64_t rev = 0;

  static Expect anything() { return {}; }
  static Expect absent() { return {What::absent, 0}; }
  static Expect at(std::int64_t rev) { return {What::rev, rev}; }
};

struct ValueQuery {
  std::string space;
  std::string prefix;  // of the key
  std::string after;   // keys greater than this; empty: from the first
  std::size_t limit = 100;
};

}  // namespace holdfast::session
