#include "base/schema/schema_describe.h"
#include "base/schema/schema_equal.h"
#include "base/schema/schema_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::schema {

bool Run::items(const Items& items, const JsonArray& array, Seen* seen) {
  bool fits = true;
  const std::size_t named = std::min(items.prefix.size(), array.size());
  for (std::size_t i = 0; i < named; ++i) {
    if (seen) seen->mark(i);
    if (item(items.prefix[i], i, array[i])) continue;
    fits = false;
    if (enough()) return false;
  }
  if (items.rest == kNone) return fits;
  if (seen) seen->mark_all();
  if (array.size() > named && target_of(items.rest).never) {
    return fail_with(items.rest_keyword, [&] {
      return fmt::format("must have at most {}, has {}", counted(items.prefix.size(), "item"), array.size());
    });
  }
  for (std::size_t i = named; i < array.size(); ++i) {
    if (item(items.rest, i, array[i])) continue;
    fits = false;
    if (enough()) return false;
  }
  return fits;
}

bool Run::unique_items(const Json& value) {
  const JsonArray& array = value.get_array();
  if (array.size() < 2) return true;
  if (!spend(weight_of(value, steps_left_))) return false;
  struct Hashed {
    std::uint64_t hash;
    std::size_t position;
    auto operator<=>(const Hashed&) const = default;
  };
  std::vector<Hashed> hashed;
  hashed.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) hashed.push_back({hash_of(array[i]), i});
  std::ranges::sort(hashed);
  for (std::size_t i = 0; i < hashed.size(); ++i) {
    const Json& one = array[hashed[i].position];
    for (std::size_t j = i + 1; j < hashed.size() && hashed[j].hash == hashed[i].hash; ++j) {
      if (!spend(weight_of(one, steps_left_))) return false;
      if (!equal(one, array[hashed[j].position])) continue;
      return fail_with("uniqueItems", [&] {
        return fmt::format("must not have equal items; {} is there twice (items {} and {})", brief(one), hashed[i].position,
                           hashed[j].position);
      });
    }
  }
  return true;
}

bool Run::contains(const Contains& contains, const JsonArray& array, Seen* seen) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const bool decided = found >= contains.at_least && contains.at_most == kNone;
    if (decided && !seen) return true;
    if (quietly(contains.node, array[i], nullptr)) {
      ++found;
      if (seen) seen->mark(i);
    }
    if (gave_up_) return false;
  }
  const auto wanted = [&](std::string_view relation, std::uint32_t count) {
    return fmt::format("must have {} {} like {}, has {}", relation, counted(count, "item"),
                       brief(*program_.sources[contains.node]), found);
  };
  if (found < contains.at_least) {
    return fail_with(contains.at_least == 1 ? "contains" : "minContains", [&] { return wanted("at least", contains.at_least); });
  }
  if (contains.at_most != kNone && found > contains.at_most) {
    return fail_with("maxContains", [&] { return wanted("at most", contains.at_most); });
  }
  return true;
}

bool Run::unevaluated_items(const Step& step, const JsonArray& array, Seen& seen) {
  bool fits = true;
  const bool forbidden = target_of(step.a).never;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!spend(1)) return false;
    if (seen.has(i)) continue;
    if (forbidden) {
      fits = fail_with("unevaluatedItems", [&] { return fmt::format("must not have the item {} ({})", i, brief(array[i])); });
    } else if (!item(step.a, i, array[i])) {
      fits = false;
    }
    if (!fits && enough()) break;
  }
  seen.mark_all();
  return fits;
}

}  // namespace holdfast::schema
