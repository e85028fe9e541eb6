#include "base/schema/schema_index.h"

#include "base/schema/schema_reference.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

namespace holdfast::schema {
namespace {

struct Row {
  KeywordRule rule;
  bool in_draft_07;
  bool in_2020_12;
};

constexpr std::array kRows{
    Row{{"$anchor", Keyword::anchor, Below::nothing}, false, true},
    Row{{"$defs", Keyword::definitions, Below::map}, false, true},
    Row{{"$dynamicAnchor", Keyword::dynamic_anchor, Below::nothing}, false, true},
    Row{{"$dynamicRef", Keyword::dynamic_ref, Below::nothing}, false, true},
    Row{{"$id", Keyword::id, Below::nothing}, true, true},
    Row{{"$ref", Keyword::ref, Below::nothing}, true, true},
    Row{{"$schema", Keyword::schema_dialect, Below::nothing}, true, true},
    Row{{"additionalItems", Keyword::additional_items, Below::one}, true, false},
    Row{{"additionalProperties", Keyword::additional_properties, Below::one}, true, true},
    Row{{"allOf", Keyword::all_of, Below::list}, true, true},
    Row{{"anyOf", Keyword::any_of, Below::list}, true, true},
    Row{{"const", Keyword::const_value, Below::nothing}, true, true},
    Row{{"contains", Keyword::contains, Below::one}, true, true},
    Row{{"definitions", Keyword::definitions, Below::map}, true, false},
    Row{{"dependencies", Keyword::dependencies, Below::map_of_schemas_or_lists}, true, true},  // 2020-12 keeps it for old schemas
    Row{{"dependentRequired", Keyword::dependent_required, Below::nothing}, false, true},
    Row{{"dependentSchemas", Keyword::dependent_schemas, Below::map}, false, true},
    Row{{"else", Keyword::else_schema, Below::one}, true, true},
    Row{{"enum", Keyword::enum_values, Below::nothing}, true, true},
    Row{{"exclusiveMaximum", Keyword::exclusive_maximum, Below::nothing}, true, true},
    Row{{"exclusiveMinimum", Keyword::exclusive_minimum, Below::nothing}, true, true},
    Row{{"format", Keyword::format, Below::nothing}, true, true},
    Row{{"if", Keyword::if_schema, Below::one}, true, true},
    Row{{"items", Keyword::items, Below::one}, false, true},
    Row{{"items", Keyword::items, Below::one_or_list}, true, false},
    Row{{"maxContains", Keyword::max_contains, Below::nothing}, false, true},
    Row{{"maxItems", Keyword::max_items, Below::nothing}, true, true},
    Row{{"maxLength", Keyword::max_length, Below::nothing}, true, true},
    Row{{"maxProperties", Keyword::max_properties, Below::nothing}, true, true},
    Row{{"maximum", Keyword::maximum, Below::nothing}, true, true},
    Row{{"minContains", Keyword::min_contains, Below::nothing}, false, true},
    Row{{"minItems", Keyword::min_items, Below::nothing}, true, true},
    Row{{"minLength", Keyword::min_length, Below::nothing}, true, true},
    Row{{"minProperties", Keyword::min_properties, Below::nothing}, true, true},
    Row{{"minimum", Keyword::minimum, Below::nothing}, true, true},
    Row{{"multipleOf", Keyword::multiple_of, Below::nothing}, true, true},
    Row{{"not", Keyword::not_schema, Below::one}, true, true},
    Row{{"oneOf", Keyword::one_of, Below::list}, true, true},
    Row{{"pattern", Keyword::pattern, Below::nothing}, true, true},
    Row{{"patternProperties", Keyword::pattern_properties, Below::map}, true, true},
    Row{{"prefixItems", Keyword::prefix_items, Below::list}, false, true},
    Row{{"properties", Keyword::properties, Below::map}, true, true},
    Row{{"propertyNames", Keyword::property_names, Below::one}, true, true},
    Row{{"required", Keyword::required, Below::nothing}, true, true},
    Row{{"then", Keyword::then_schema, Below::one}, true, true},
    Row{{"type", Keyword::type, Below::nothing}, true, true},
    Row{{"unevaluatedItems", Keyword::unevaluated_items, Below::one}, false, true},
    Row{{"unevaluatedProperties", Keyword::unevaluated_properties, Below::one}, false, true},
    Row{{"uniqueItems", Keyword::unique_items, Below::nothing}, true, true},
};

constexpr auto kName = [](const Row& row) { return row.rule.name; };
static_assert(std::ranges::is_sorted(kRows, {}, kName));

constexpr std::size_t kShownChars = 60;  // of a key or a reference inside a message

bool is_anchor_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':'; };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) { return letter(c) || other(c); });
}

}  // namespace

std::optional<Dialect> dialect_named(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri == "https://json-schema.org/draft/2020-12/schema" || uri == "http://json-schema.org/draft/2020-12/schema") {
    return Dialect::draft_2020_12;
  }
  if (uri == "http://json-schema.org/draft-07/schema" || uri == "https://json-schema.org/draft-07/schema")
    return Dialect::draft_07;
  return std::nullopt;
}

const KeywordRule* find_keyword(std::string_view name, Dialect dialect) {
  for (const Row& row : std::ranges::equal_range(kRows, name, {}, kName)) {
    if (dialect == Dialect::draft_07 ? row.in_draft_07 : row.in_2020_12) return &row.rule;
  }
  return nullptr;
}

Index::Index(const Json& document, Dialect dialect, const SchemaLimits& limits)
    : document_(document), dialect_(dialect), limits_(limits) {}

Result<void> Index::build() {
  resources_.push_back({"", &document_});
  resource_by_uri_.emplace("", 0);
  Place root;
  root.schema = &document_;
  return add_with_all_below(root);
}

std::uint32_t Index::number_of(const Json& schema) const {
  const auto found = numbers_.find(&schema);
  return found == numbers_.end() ? kNone : found->second;
}

std::string Index::location(std::uint32_t place) const {
  std::vector<const Place*> way;
  for (; place != kNone && places_[place].parent != kNone; place = places_[place].parent) way.push_back(&places_[place]);
  std::string text = "#";
  for (const Place* step : way | std::views::reverse) {
    append_pointer_token(text, step->keyword);
    if (step->item != kNone) {
      text += fmt::format("/{}", step->item);
    } else if (step->key.data() != nullptr) {
      append_pointer_token(text, shorten(step->key, kShownChars));
    }
  }
  return text;
}

Result<void> Index::add_with_all_below(Place first) {
  std::vector<Place> waiting{first};
  while (!waiting.empty()) {
    const Place place = waiting.back();
    waiting.pop_back();
    const auto number = static_cast<std::uint32_t>(places_.size());
    if (!numbers_.emplace(place.schema, number).second) continue;  // added before, through a reference
    if (number >= limits_.max_subschemas) {
      return fail(ErrorKind::too_large, fmt::format("the schema has more than {} subschemas", limits_.max_subschemas));
    }
    if (place.depth > limits_.max_depth) {
      return fail(ErrorKind::too_large, fmt::format("the schema is nested deeper than {} levels", limits_.max_depth));
    }
    places_.push_back(place);
    if (place.schema->is_bool()) continue;
    if (!place.schema->is_object()) return fail(ErrorKind::invalid, location(number) + " must be an object or a boolean");
    HF_CHECK(identify(number));
    for (const auto& member : place.schema->get_object()) {
      const KeywordRule* rule = find_keyword(member.key(), dialect_);
      if (rule && rule->below != Below::nothing) HF_CHECK(add_below(number, *rule, member.value(), waiting));
    }
  }
  return {};
}

Result<void> Index::add_below(std::uint32_t number, const KeywordRule& rule, const Json& value,
                              std::vector<Place>& waiting) const {
  Place child;
  child.parent = number;
  child.resource = places_[number].resource;
  child.depth = places_[number].depth + 1;
  child.keyword = rule.name;
  const auto expect = [&](std::string_view what) {
    return fail(ErrorKind::invalid, fmt::format("{}/{} must be {}", location(number), rule.name, what));
  };

  const bool list = rule.below == Below::list || (rule.below == Below::one_or_list && value.is_array());
  if (list) {
    if (!value.is_array()) return expect("an array of schemas");
    for (const Json& item : value.get_array()) {
      child.schema = &item;
      child.item = child.item == kNone ? 0 : child.item + 1;
      waiting.push_back(child);
    }
  } else if (rule.below == Below::map || rule.below == Below::map_of_schemas_or_lists) {
    if (!value.is_object()) return expect("an object of schemas");
    for (const auto& member : value.get_object()) {
      if (rule.below == Below::map_of_schemas_or_lists && member.value().is_array()) continue;
      child.schema = &member.value();
      child.key = member.key();
      waiting.push_back(child);
    }
  } else {
    if (value.is_array()) return expect("a schema (a list of schemas is \"prefixItems\" in 2020-12)");
    child.schema = &value;
    waiting.push_back(child);
  }
  return {};
}

// What a schema says about itself: its dialect, its address, its anchors.
Result<void> Index::identify(std::uint32_t number) {
  const JsonObject& schema = places_[number].schema->get_object();
  const auto expect_text = [&](std::string_view keyword) {
    return fail(ErrorKind::invalid, fmt::format("{}/{} must be a string", location(number), keyword));
  };
  if (const Json* named = find(schema, "$schema")) {
    if (!named->is_string()) return expect_text("$schema");
    if (dialect_named(view(named->get_string())) != dialect_) {
      return fail(ErrorKind::refused, fmt::format("{}: the dialect \"{}\" is not supported here", location(number),
                                                  shorten(view(named->get_string()), kShownChars)));
    }
  }
  const bool only_reference = dialect_ == Dialect::draft_07 && find(schema, "$ref");  // hides what stands beside it
  if (const Json* id = find(schema, "$id"); id && !only_reference) {
    if (!id->is_string()) return expect_text("$id");
    const std::string_view text = view(id->get_string());
    if (dialect_ == Dialect::draft_07 && text.starts_with('#')) {
      if (text.size() > 1) HF_CHECK(add_anchor(number, Json(text.substr(1)), false));
    } else {
      const auto resolved = resolve_reference(resources_[places_[number].resource].uri, text);
      if (!resolved || !resolved->fragment.empty()) {
        return fail(ErrorKind::invalid, fmt::format("{}/$id is not a usable URI", location(number)));
      }
      // The root already is a resource under the empty address; its "$id" is its second name.
      std::uint32_t resource = 0;
      if (number == 0) {
        resources_[0].uri = resolved->uri;
      } else {
        resource = static_cast<std::uint32_t>(resources_.size());
        resources_.push_back({resolved->uri, places_[number].schema});
      }
      if (!resource_by_uri_.emplace(resolved->uri, resource).second && number != 0) {
        return fail(ErrorKind::invalid, fmt::format("{}/$id is used twice", location(number)));
      }
      places_[number].resource = resource;
    }
  }
  if (dialect_ == Dialect::draft_07) return {};
  if (const Json* anchor = find(schema, "$anchor")) HF_CHECK(add_anchor(number, *anchor, false));
  if (const Json* anchor = find(schema, "$dynamicAnchor")) HF_CHECK(add_anchor(number, *anchor, true));
  return {};
}

Result<void> Index::add_anchor(std::uint32_t number, const Json& name, bool dynamic) {
  if (!name.is_string() || !is_anchor_name(view(name.get_string()))) {
    return fail(ErrorKind::invalid, location(number) + ": an anchor must be a name");
  }
  auto [at, added] =
      anchors_.try_emplace({places_[number].resource, std::string(view(name.get_string()))}, Anchor{number, dynamic});
  if (!added && at->second.place != number) {
    return fail(ErrorKind::invalid, fmt::format("{}: the anchor \"{}\" is used twice", location(number),
                                                shorten(view(name.get_string()), kShownChars)));
  }
  if (dynamic) {
    at->second.dynamic = true;
    dynamic_anchors_[at->first.second].emplace_back(places_[number].resource, number);
  }
  return {};
}

Result<Index::Target> Index::resolve(std::string_view reference, std::uint32_t from_place) {
  const auto shown = [&] { return shorten(reference, kShownChars); };
  const auto resolved = resolve_reference(resources_[places_[from_place].resource].uri, reference);
  if (!resolved) return fail(ErrorKind::invalid, fmt::format("the reference \"{}\" is not a usable URI", shown()));
  const auto resource = resource_by_uri_.find(resolved->uri);
  if (resource == resource_by_uri_.end()) {
    return fail(ErrorKind::refused, fmt::format("the reference \"{}\" leaves the document", shown()),
                "References are never fetched: put the schema below \"$defs\" and refer to it there.");
  }
  Target target;
  const std::string& fragment = resolved->fragment;
  if (!fragment.empty() && fragment.front() != '/') {
    const auto anchor = anchors_.find({resource->second, fragment});
    if (anchor == anchors_.end()) return fail(ErrorKind::invalid, fmt::format("the reference \"{}\" names no anchor", shown()));
    target.place = anchor->second.place;
    if (anchor->second.dynamic) target.dynamic_anchor = fragment;
    return target;
  }
  const Json* schema = follow_pointer(*resources_[resource->second].root, fragment);
  if (!schema) return fail(ErrorKind::invalid, fmt::format("the reference \"{}\" points at nothing", shown()));
  target.place = number_of(*schema);
  if (target.place == kNone) {
    target.place = static_cast<std::uint32_t>(places_.size());
    Place place;
    place.schema = schema;
    place.resource = resource->second;
    place.parent = from_place;
    place.keyword = "$ref";
    HF_CHECK(add_with_all_below(place));
  }
  return target;
}

}  // namespace holdfast::schema
