#include "base/schema/schema_describe.h"
#include "base/schema/schema_reference.h"
#include "base/schema/schema_run.h"

#include <fmt/format.h>

#include <span>

namespace holdfast::schema {
namespace {

// Finding a member costs a step, and more when its name is long.
std::size_t cost_of_finding(std::string_view name) {
  constexpr std::size_t kNameBytesPerStep = 64;
  return 1 + name.size() / kNameBytesPerStep;
}

}  // namespace

// Reported at the place where the member should be.
bool Run::missing(std::string_view keyword, std::string_view name, std::string_view why) {
  if (!explains()) return false;
  const std::size_t before = path_.size();
  append_pointer_token(path_, name);
  fail(keyword, fmt::format("is required{}", why));
  path_.resize(before);
  return false;
}

bool Run::required(const Step& step, const JsonObject& object) {
  bool fits = true;
  for (const std::string_view name : std::span(program_.names).subspan(step.a, step.b)) {
    if (!spend(cost_of_finding(name))) return false;
    if (find(object, name)) continue;
    fits = missing("required", name, "");
    if (enough()) break;
  }
  return fits;
}

bool Run::dependent_required(const Step& step, const JsonObject& object) {
  bool fits = true;
  for (const DependentNames& dependent : std::span(program_.dependent_names).subspan(step.a, step.b)) {
    if (!spend(cost_of_finding(dependent.when))) return false;
    if (!find(object, dependent.when)) continue;
    for (const std::string_view name : dependent.names) {
      if (!spend(cost_of_finding(name))) return false;
      if (find(object, name)) continue;
      fits = missing("dependentRequired", name, explains() ? fmt::format(" when {} is given", quoted(dependent.when)) : "");
      if (enough()) return false;
    }
  }
  return fits;
}

bool Run::dependent_schemas(const Step& step, const Json& value, Seen* seen) {
  bool fits = true;
  for (const Member& dependent : std::span(program_.dependent_nodes).subspan(step.a, step.b)) {
    if (!spend(cost_of_finding(dependent.name))) return false;
    if (!find(value.get_object(), dependent.name) || node(dependent.node, value, seen)) continue;
    fits = false;
    if (enough()) break;
  }
  return fits;
}

bool Run::members(const Members& members, const JsonObject& object, Seen* seen) {
  bool fits = true;
  for (std::size_t position = 0; position < object.size(); ++position) {
    if (member_fits(members, object, position, seen)) continue;
    fits = false;
    if (enough()) break;
  }
  return fits;
}

bool Run::member_fits(const Members& members, const JsonObject& object, std::size_t position, Seen* seen) {
  const auto& [key, value] = *(object.begin() + static_cast<std::ptrdiff_t>(position));
  const std::string_view name = key;
  if (!spend(cost_of_finding(name))) return false;
  bool fits = true;
  bool known = false;
  if (const std::uint32_t property = members.find(name); property != kNone) {
    known = true;
    fits = member(property, name, value);
  }
  for (const auto& [number, property] : members.patterns) {
    const Pattern& pattern = program_.patterns[number];
    if (!spend(pattern.cost(name.size()))) return false;
    if (!pattern.found_in(name)) continue;
    known = true;
    if (!member(property, name, value)) fits = false;
  }
  if (!known && members.additional != kNone) {
    known = true;
    if (target_of(members.additional).never) return unknown_member("additionalProperties", name, &members, object);
    fits = member(members.additional, name, value);
  }
  if (known && seen) seen->mark(position);
  return fits;
}

bool Run::property_names(std::uint32_t number, const JsonObject& object) {
  bool fits = true;
  for (const auto& member : object) {
    const std::string_view name = member.key();
    if (!spend(cost_of_finding(name))) return false;
    const Json text(member.key());
    if (quietly(number, text, nullptr)) continue;
    fits = fail_with("propertyNames", [&] {
      const auto why = violations_of(number, text);
      return fmt::format("the property name {} {}", quoted(name), why.empty() ? "does not fit" : why.front().message);
    });
    if (enough()) break;
  }
  return fits;
}

bool Run::unevaluated_properties(const Step& step, const Node& node, const JsonObject& object, Seen& seen) {
  const Members* known = nullptr;
  for (const Step& other : std::span(program_.steps).subspan(node.first, node.count)) {
    if (other.check == Check::members) known = &program_.members[other.a];
  }
  bool fits = true;
  const bool forbidden = target_of(step.a).never;
  for (std::size_t position = 0; position < object.size(); ++position) {
    if (!spend(1)) return false;
    if (seen.has(position)) continue;
    const auto& [key, value] = *(object.begin() + static_cast<std::ptrdiff_t>(position));
    if (forbidden ? unknown_member("unevaluatedProperties", key, known, object) : member(step.a, key, value)) continue;
    fits = false;
    if (enough()) break;
  }
  seen.mark_all();
  return fits;
}

bool Run::unknown_member(std::string_view keyword, std::string_view name, const Members* known, const JsonObject& object) {
  return fail_with(keyword, [&] {
    std::vector<std::string_view> absent;
    if (known && spend(known->properties.size())) {
      for (const Member& property : known->properties) {
        if (!find(object, property.name)) absent.push_back(property.name);
      }
    }
    const std::string_view noun = path_.empty() ? "argument" : "property";
    return fmt::format("unknown {} {}{}", noun, quoted(name), did_you_mean(name, absent));
  });
}

}  // namespace holdfast::schema
