#include "base/schema/schema_run.h"

#include "base/schema/schema_describe.h"
#include "base/schema/schema_number.h"
#include "base/schema/schema_reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::schema {

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

}  // namespace holdfast::schema
