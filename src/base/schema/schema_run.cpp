#include "base/schema/schema_run.h"

#include "base/schema/schema_describe.h"
#include "base/schema/schema_equal.h"
#include "base/schema/schema_reference.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace holdfast::schema {
namespace {

constexpr std::size_t kLongestCharacter = 4;       // bytes of UTF-8
constexpr std::size_t kCountedBytesPerStep = 256;  // when counting characters
constexpr std::size_t kFormatBytesPerStep = 64;

}  // namespace

std::uint8_t type_of(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return kNull;
    case boost::json::kind::bool_:
      return kBoolean;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return kInteger;
    case boost::json::kind::double_:
      return is_integer(value) ? kInteger : kNumber;
    case boost::json::kind::string:
      return kString;
    case boost::json::kind::array:
      return kArray;
    case boost::json::kind::object:
      return kObject;
  }
  return 0;
}

bool Run::whole(const Json& value) {
  const bool fits = node(0, value, nullptr);
  if (gave_up_ && violations_) {
    if (violations_->size() >= program_.limits.max_violations) violations_->pop_back();
    violations_->push_back(limit_);
  }
  return fits && !gave_up_;
}

bool Run::node(std::uint32_t number, const Json& value, Seen* seen) {
  const Node& node = target_of(number);
  if (!spend(1)) return false;
  if (node.never) return fail("false", "is not allowed");
  if (node.types != kAnyType && (node.types & type_of(value)) == 0) {
    return fail_with("type", [&] { return wrong_type(node.types, value); });
  }
  if (node.count == 0) return true;
  if (depth_ == program_.limits.max_depth) {
    return give_up(fmt::format("is nested too deeply to be checked (more than {} levels)", program_.limits.max_depth));
  }

  ++depth_;
  const bool enters = program_.has_dynamic_references && (scope_.empty() || scope_.back() != node.resource);
  if (enters) scope_.push_back(node.resource);
  bool fits = false;
  if (!node.tracks) {
    fits = steps(node, value, seen);
  } else if (spend(Seen::cost(value))) {
    Seen own(value);  // what neighbours have looked at does not count
    fits = steps(node, value, &own);
    if (fits && seen) seen->add(own);
  }
  if (enters) scope_.pop_back();
  --depth_;
  return fits;
}

bool Run::steps(const Node& node, const Json& value, Seen* seen) {
  bool fits = true;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
    const Step& now = program_.steps[i];
    // A form that did not fit has marked nothing; complaining about "unknown" members would mislead.
    if (!fits && now.check >= Check::unevaluated_properties) break;
    if (!spend(1)) return false;
    if (step(now, node, value, seen)) continue;
    if (enough()) return false;
    fits = false;
  }
  return fits;
}

bool Run::step(const Step& step, const Node& node, const Json& value, Seen* seen) {
  switch (step.check) {
    case Check::constant:
      return constant(*program_.values[step.a], value);
    case Check::enumeration:
      return enumeration(program_.enumerations[step.a], value);
    case Check::minimum:
    case Check::maximum:
    case Check::exclusive_minimum:
    case Check::exclusive_maximum:
    case Check::multiple_of:
      return !is_number(value) || number(step, value);
    case Check::min_length:
    case Check::max_length:
    case Check::format:
    case Check::pattern:
      return !value.is_string() || text(step, value);
    case Check::min_items:
    case Check::max_items:
      return !value.is_array() || size(step, value);
    case Check::min_properties:
    case Check::max_properties:
      return !value.is_object() || size(step, value);
    case Check::required:
      return !value.is_object() || required(step, value.get_object());
    case Check::dependent_required:
      return !value.is_object() || dependent_required(step, value.get_object());
    case Check::members:
      return !value.is_object() || members(program_.members[step.a], value.get_object(), seen);
    case Check::property_names:
      return !value.is_object() || property_names(step.a, value.get_object());
    case Check::items:
      return !value.is_array() || items(program_.items[step.a], value.get_array(), seen);
    case Check::unique_items:
      return !value.is_array() || unique_items(value);
    case Check::contains:
      return !value.is_array() || contains(program_.contains[step.a], value.get_array(), seen);
    case Check::reference:
    case Check::dynamic_reference:
      return reference(step, value, seen);
    case Check::all_of:
      return all_of(step, value, seen);
    case Check::any_of:
      return any_of(step, value, seen);
    case Check::one_of:
      return one_of(step, value, seen);
    case Check::negation:
      return negation(step, value);
    case Check::condition:
      return condition(program_.conditions[step.a], value, seen);
    case Check::dependent_schemas:
      return !value.is_object() || dependent_schemas(step, value, seen);
    case Check::unevaluated_properties:
      return !value.is_object() || unevaluated_properties(step, node, value.get_object(), *seen);
    case Check::unevaluated_items:
      return !value.is_array() || unevaluated_items(step, value.get_array(), *seen);
  }
  return false;
}

bool Run::reference(const Step& step, const Json& value, Seen* seen) {
  if (step.check == Check::reference) return node(step.a, value, seen);
  // The outermost resource on the way here that has the anchor decides.
  const DynamicAnchors& anchors = program_.dynamic_anchors[step.b];
  if (!spend(scope_.size())) return false;
  for (const std::uint32_t resource : scope_) {
    const auto anchor = std::ranges::lower_bound(anchors, resource, {}, &DynamicAnchors::value_type::first);
    if (anchor != anchors.end() && anchor->first == resource) return node(anchor->second, value, seen);
  }
  return node(step.a, value, seen);
}

const Node& Run::target_of(std::uint32_t number) const {
  const Node& node = program_.nodes[number];
  return node.forward == kNone ? node : program_.nodes[node.forward];
}

bool Run::member(std::uint32_t number, std::string_view name, const Json& value) {
  if (!explains()) return node(number, value, nullptr);
  const std::size_t before = path_.size();
  append_pointer_token(path_, name);
  const bool fits = node(number, value, nullptr);
  path_.resize(before);
  return fits;
}

bool Run::item(std::uint32_t number, std::size_t position, const Json& value) {
  if (!explains()) return node(number, value, nullptr);
  const std::size_t before = path_.size();
  path_ += fmt::format("/{}", position);
  const bool fits = node(number, value, nullptr);
  path_.resize(before);
  return fits;
}

bool Run::spend(std::size_t steps) {
  if (steps <= steps_left_) {
    steps_left_ -= steps;
    return !gave_up_;
  }
  return give_up(fmt::format("takes too long to check (more than {} steps)", program_.limits.max_steps));
}

bool Run::give_up(std::string message) {
  if (!gave_up_) limit_ = {path_, "limit", std::move(message)};
  gave_up_ = true;
  return false;
}

std::string Run::did_you_mean(std::string_view wrong, std::span<const std::string_view> known) {
  if (!spend(cost_of_nearest(wrong, known.size()))) return {};
  const std::string_view near = nearest(wrong, known);
  return near.empty() ? std::string() : fmt::format(" (did you mean {}?)", quoted(near));
}

bool Run::fail(std::string_view keyword, std::string message) {
  constexpr std::size_t kPathBytesPerStep = 64;  // copying a long path again and again is work, too
  if (enough() || !spend(1 + path_.size() / kPathBytesPerStep)) return false;
  violations_->push_back({path_, std::string(keyword), std::move(message)});
  return false;
}

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

bool Run::constant(const Json& wanted, const Json& value) {
  if (!spend(weight_of(value, steps_left_))) return false;
  if (equal(wanted, value)) return true;
  return fail_with("const", [&] {
    const Json* only = &wanted;
    return not_listed(std::span(&only, 1), 1, value);
  });
}

bool Run::enumeration(const Enumeration& wanted, const Json& value) {
  const std::size_t weight = weight_of(value, steps_left_);
  if (!spend(weight)) return false;
  for (const auto& candidate : std::ranges::equal_range(wanted.by_hash, hash_of(value), {}, &Enumeration::Value::hash)) {
    if (!spend(weight)) return false;
    if (equal(*candidate.value, value)) return true;
  }
  return fail_with("enum", [&] {
    std::vector<const Json*> listed;
    std::vector<std::string_view> texts;
    for (const Json& item : *wanted.listed | std::views::take(kMaxComparedNames)) {
      listed.push_back(&item);
      if (item.is_string()) texts.push_back(view(item.get_string()));
    }
    std::string message = not_listed(listed, wanted.listed->size(), value);
    if (listed.size() > kShownValues && value.is_string()) message += did_you_mean(view(value.get_string()), texts);
    return message;
  });
}

bool Run::number(const Step& step, const Json& value) {
  const Json& bound = *program_.values[step.a];
  if (step.check == Check::multiple_of) {
    if (is_multiple_of(value, bound)) return true;
    return fail_with("multipleOf", [&] { return fmt::format("must be a multiple of {}, got {}", brief(bound), brief(value)); });
  }
  const auto order = compare_numbers(value, bound);
  const auto out_of_range = [&](std::string_view keyword, std::string_view relation) {
    return fail_with(keyword, [&] { return fmt::format("must be {} {}, got {}", relation, brief(bound), brief(value)); });
  };
  switch (step.check) {
    case Check::minimum:
      return order >= 0 || out_of_range("minimum", "at least");
    case Check::maximum:
      return order <= 0 || out_of_range("maximum", "at most");
    case Check::exclusive_minimum:
      return order > 0 || out_of_range("exclusiveMinimum", "greater than");
    default:
      return order < 0 || out_of_range("exclusiveMaximum", "less than");
  }
}

bool Run::text(const Step& step, const Json& value) {
  const std::string_view text = view(value.get_string());
  if (step.check == Check::pattern) {
    const Pattern& pattern = program_.patterns[step.a];
    if (!spend(pattern.cost(text.size()))) return false;
    if (pattern.found_in(text)) return true;
    return fail_with("pattern", [&] {
      return fmt::format("must match the pattern {}, got {}", shorten(program_.pattern_texts[step.a], 120), brief(value));
    });
  }
  if (step.check == Check::format) {
    const auto format = static_cast<Format>(step.a);
    if (!spend(text.size() / kFormatBytesPerStep)) return false;
    if (has_format(format, text)) return true;
    return fail_with("format", [&] { return fmt::format("must be {}, got {}", expected_text(format), brief(value)); });
  }

  // Most texts are settled by their size in bytes; only near the bound characters are counted.
  if (step.check == Check::min_length) {
    if (text.size() / kLongestCharacter >= step.a) return true;
    if (!spend(text.size() / kCountedBytesPerStep)) return false;
    if (text.size() >= step.a && utf8_length(text) >= step.a) return true;
    return fail_with("minLength", [&] {
      return step.a == 1 ? std::string("must not be empty")
                         : fmt::format("must have at least {}, got {}", counted(step.a, "character"), brief(value));
    });
  }
  if (text.size() <= step.a) return true;
  if (!spend(text.size() / kCountedBytesPerStep)) return false;
  const std::size_t length = utf8_length(text);
  if (length <= step.a) return true;
  return fail_with("maxLength",
                   [&] { return fmt::format("must have at most {}, has {}", counted(step.a, "character"), length); });
}

bool Run::size(const Step& step, const Json& value) {
  const bool is_array = value.is_array();
  const std::size_t size = is_array ? value.get_array().size() : value.get_object().size();
  const std::string_view noun = is_array ? "item" : "property";
  if (step.check == Check::min_items || step.check == Check::min_properties) {
    if (size >= step.a) return true;
    return fail_with(is_array ? "minItems" : "minProperties", [&] {
      std::string message = fmt::format("must have at least {}", counted(step.a, noun));
      return size == 0 ? message : message + fmt::format(", has {}", size);
    });
  }
  if (size <= step.a) return true;
  return fail_with(is_array ? "maxItems" : "maxProperties",
                   [&] { return fmt::format("must have at most {}, has {}", counted(step.a, noun), size); });
}

}  // namespace holdfast::schema
