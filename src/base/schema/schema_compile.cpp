// From a schema document to a Program. The index numbers the subschemas; here each becomes a node,
// one keyword after the other. Nothing recurses: references are numbers.

#include "base/schema/schema_equal.h"
#include "base/schema/schema_program.h"
#include "base/schema/schema_reference.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace holdfast::schema {
namespace {

// All patterns of one schema together, in RE2 instructions: some MB of programs, compiled in well
// under a second. A pattern of a tool schema has about 20.
constexpr std::size_t kMaxPatternInstructions = 200'000;
constexpr std::size_t kMaxPatterns = 128;  // each may come to hold 2 MB of states

bool shorter_or_before(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::optional<std::uint8_t> type_named(std::string_view name) {
  if (name == "null") return kNull;
  if (name == "boolean") return kBoolean;
  if (name == "object") return kObject;
  if (name == "array") return kArray;
  if (name == "number") return kNumber | kInteger;
  if (name == "string") return kString;
  if (name == "integer") return kInteger;
  return std::nullopt;
}

class Compiler {
 public:
  Compiler(Program& program, Dialect dialect)
      : program_(program), index_(program.document, dialect, program.limits), dialect_(dialect) {}

  Result<void> run() {
    HF_CHECK(index_.build());
    // References may add places while this runs.
    for (std::uint32_t number = 0; number < index_.places().size(); ++number) {
      number_ = number;
      if (auto done = compile_node(); !done) return fail(std::move(done).error().within(index_.location(number)));
    }
    for (const auto& [name, number] : dynamic_names_) {
      program_.dynamic_anchors[number] = index_.dynamic_anchors(name);
      std::ranges::sort(program_.dynamic_anchors[number]);
    }
    program_.has_dynamic_references = !dynamic_names_.empty();
    HF_CHECK(refuse_endless_references());
    forward_plain_references();
    return {};
  }

 private:
  // What keywords of the same schema build together.
  struct Parts {
    std::optional<Members> members;
    std::optional<Items> items;
    std::optional<Condition> condition;
    std::optional<Contains> contains;
    std::uint32_t at_least = 1;
    std::uint32_t at_most = kNone;
    std::uint32_t additional_items = kNone;
    std::vector<Step> steps;
  };

  static std::unexpected<Error> expected(const KeywordRule& rule, std::string_view what) {
    return fail(ErrorKind::invalid, fmt::format("\"{}\" must be {}", rule.name, what));
  }

  Result<void> compile_node() {
    const Place place = index_.places()[number_];
    Node node;
    node.resource = place.resource;
    program_.sources.push_back(place.schema);
    if (place.schema->is_bool()) {
      node.never = !place.schema->get_bool();
      program_.nodes.push_back(node);
      return {};
    }
    Parts parts;
    const JsonObject& schema = place.schema->get_object();
    const bool only_reference = dialect_ == Dialect::draft_07 && find(schema, "$ref");
    for (const auto& member : schema) {
      const KeywordRule* rule = find_keyword(member.key(), dialect_);
      if (!rule || (only_reference && rule->keyword != Keyword::ref)) continue;
      HF_CHECK(compile_keyword(*rule, member.value(), node, parts));
    }
    join(parts);
    std::ranges::sort(parts.steps, {}, [](const Step& step) { return std::pair(step.check, step.a); });
    node.first = static_cast<std::uint32_t>(program_.steps.size());
    node.count = static_cast<std::uint32_t>(parts.steps.size());
    program_.steps.insert(program_.steps.end(), parts.steps.begin(), parts.steps.end());
    program_.nodes.push_back(node);
    return {};
  }

  // Turns what was gathered from several keywords into one step each.
  void join(Parts& parts) {
    if (parts.members) {
      std::ranges::sort(parts.members->properties, shorter_or_before, &Member::name);
      parts.steps.push_back({Check::members, push(program_.members, std::move(*parts.members))});
    }
    if (parts.items) {
      // In draft-07 "additionalItems" speaks only where "items" is a list.
      if (parts.additional_items != kNone && parts.items->rest == kNone) {
        parts.items->rest = parts.additional_items;
        parts.items->rest_keyword = "additionalItems";
      }
      parts.steps.push_back({Check::items, push(program_.items, std::move(*parts.items))});
    }
    if (parts.condition && parts.condition->test != kNone) {
      parts.steps.push_back({Check::condition, push(program_.conditions, *parts.condition)});
    }
    if (parts.contains) {
      parts.contains->at_least = parts.at_least;
      parts.contains->at_most = parts.at_most;
      parts.steps.push_back({Check::contains, push(program_.contains, *parts.contains)});
    }
  }

  Result<void> compile_keyword(const KeywordRule& rule, const Json& value, Node& node, Parts& parts) {
    switch (rule.keyword) {
      case Keyword::type:
        return types(rule, value, node);
      case Keyword::const_value:
        parts.steps.push_back({Check::constant, push(program_.values, &value)});
        return {};
      case Keyword::enum_values:
        return enumeration(rule, value, parts);
      case Keyword::minimum:
        return number(rule, value, Check::minimum, parts);
      case Keyword::maximum:
        return number(rule, value, Check::maximum, parts);
      case Keyword::exclusive_minimum:
        return number(rule, value, Check::exclusive_minimum, parts);
      case Keyword::exclusive_maximum:
        return number(rule, value, Check::exclusive_maximum, parts);
      case Keyword::multiple_of:
        if (!is_number(value) || compare_numbers(value, Json(0)) != std::partial_ordering::greater) {
          return expected(rule, "a number greater than 0");
        }
        return number(rule, value, Check::multiple_of, parts);
      case Keyword::min_length:
        return size(rule, value, Check::min_length, parts);
      case Keyword::max_length:
        return size(rule, value, Check::max_length, parts);
      case Keyword::min_items:
        return size(rule, value, Check::min_items, parts);
      case Keyword::max_items:
        return size(rule, value, Check::max_items, parts);
      case Keyword::min_properties:
        return size(rule, value, Check::min_properties, parts);
      case Keyword::max_properties:
        return size(rule, value, Check::max_properties, parts);
      case Keyword::min_contains: {
        HF_TRY(parts.at_least, count_of(rule, value));
        return {};
      }
      case Keyword::max_contains: {
        HF_TRY(parts.at_most, count_of(rule, value));
        return {};
      }
      case Keyword::format:
        return format(rule, value, parts);
      case Keyword::pattern: {
        if (!value.is_string()) return expected(rule, "a string");
        HF_TRY(const auto number, pattern(view(value.get_string())));
        parts.steps.push_back({Check::pattern, number});
        return {};
      }
      case Keyword::unique_items:
        if (!value.is_bool()) return expected(rule, "a boolean");
        if (value.get_bool()) parts.steps.push_back({Check::unique_items});
        return {};
      case Keyword::required: {
        HF_TRY(const auto names, name_list(rule, value));
        parts.steps.push_back(
            {Check::required, static_cast<std::uint32_t>(program_.names.size()), static_cast<std::uint32_t>(names.size())});
        program_.names.insert(program_.names.end(), names.begin(), names.end());
        return {};
      }
      case Keyword::dependent_required:
      case Keyword::dependencies:
      case Keyword::dependent_schemas:
        return dependents(rule, value, parts);
      case Keyword::properties:
        for (const auto& member : value.get_object()) {
          members_of(parts).properties.push_back({member.key(), index_.number_of(member.value())});
        }
        return {};
      case Keyword::pattern_properties:
        for (const auto& member : value.get_object()) {
          HF_TRY(const auto number, pattern(member.key()));
          members_of(parts).patterns.push_back({number, index_.number_of(member.value())});
        }
        return {};
      case Keyword::additional_properties:
        members_of(parts).additional = index_.number_of(value);
        return {};
      case Keyword::property_names:
        parts.steps.push_back({Check::property_names, index_.number_of(value)});
        return {};
      case Keyword::prefix_items:
      case Keyword::items:
        items(value, parts);
        return {};
      case Keyword::additional_items:
        parts.additional_items = index_.number_of(value);
        return {};
      case Keyword::contains:
        parts.contains = Contains{.node = index_.number_of(value)};
        return {};
      case Keyword::all_of:
        return list(rule, value, Check::all_of, parts);
      case Keyword::any_of:
        return list(rule, value, Check::any_of, parts);
      case Keyword::one_of:
        return list(rule, value, Check::one_of, parts);
      case Keyword::not_schema:
        parts.steps.push_back({Check::negation, index_.number_of(value)});
        return {};
      case Keyword::if_schema:
        condition_of(parts).test = index_.number_of(value);
        return {};
      case Keyword::then_schema:
        condition_of(parts).met = index_.number_of(value);
        return {};
      case Keyword::else_schema:
        condition_of(parts).unmet = index_.number_of(value);
        return {};
      case Keyword::unevaluated_properties:
        node.tracks = true;
        parts.steps.push_back({Check::unevaluated_properties, index_.number_of(value)});
        return {};
      case Keyword::unevaluated_items:
        node.tracks = true;
        parts.steps.push_back({Check::unevaluated_items, index_.number_of(value)});
        return {};
      case Keyword::ref:
      case Keyword::dynamic_ref:
        return reference(rule, value, parts);
      case Keyword::anchor:
      case Keyword::dynamic_anchor:
      case Keyword::definitions:
      case Keyword::id:
      case Keyword::schema_dialect:
        return {};  // the index has read them
    }
    return {};
  }

  Result<void> types(const KeywordRule& rule, const Json& value, Node& node) {
    constexpr std::string_view kWanted =
        "one of \"null\", \"boolean\", \"object\", \"array\", \"number\", \"string\", \"integer\", or a list of them";
    node.types = 0;
    const auto add = [&](const Json& name) {
      const auto type = name.is_string() ? type_named(view(name.get_string())) : std::nullopt;
      if (type) node.types |= *type;
      return type.has_value();
    };
    const bool good = value.is_array() ? std::ranges::all_of(value.get_array(), add) : add(value);
    if (!good) return expected(rule, kWanted);
    return {};
  }

  Result<void> enumeration(const KeywordRule& rule, const Json& value, Parts& parts) {
    if (!value.is_array()) return expected(rule, "an array");
    Enumeration made;
    made.listed = &value.get_array();
    for (const Json& item : value.get_array()) made.by_hash.push_back({hash_of(item), &item});
    std::ranges::sort(made.by_hash, {}, &Enumeration::Value::hash);
    parts.steps.push_back({Check::enumeration, push(program_.enumerations, std::move(made))});
    return {};
  }

  Result<void> number(const KeywordRule& rule, const Json& value, Check check, Parts& parts) {
    if (!is_number(value)) return expected(rule, "a number");
    parts.steps.push_back({check, push(program_.values, &value)});
    return {};
  }

  // Larger counts than 2^32 - 1 are as good as that one: no value has so many parts.
  Result<std::uint32_t> count_of(const KeywordRule& rule, const Json& value) {
    if (!is_number(value) || !is_integer(value) || compare_numbers(value, Json(0)) < 0) {
      return expected(rule, "a whole number, 0 or more");
    }
    if (compare_numbers(value, Json(std::uint64_t{kNone})) >= 0) return kNone;
    return value.to_number<std::uint32_t>();
  }

  Result<void> size(const KeywordRule& rule, const Json& value, Check check, Parts& parts) {
    HF_TRY(const auto count, count_of(rule, value));
    parts.steps.push_back({check, count});
    return {};
  }

  Result<void> format(const KeywordRule& rule, const Json& value, Parts& parts) {
    if (!value.is_string()) return expected(rule, "a string");
    if (!program_.limits.assert_formats) return {};
    if (const auto known = format_named(view(value.get_string()))) {
      parts.steps.push_back({Check::format, static_cast<std::uint32_t>(*known)});
    }
    return {};
  }

  Result<std::uint32_t> pattern(std::string_view text) {
    const auto known = pattern_numbers_.find(text);
    if (known != pattern_numbers_.end()) return known->second;
    HF_TRY(auto compiled, Pattern::compile(text));
    pattern_instructions_ += compiled.size();
    if (pattern_instructions_ > kMaxPatternInstructions || program_.patterns.size() == kMaxPatterns) {
      return fail(ErrorKind::too_large, "the schema has too many or too large patterns");
    }
    const auto number = push(program_.patterns, std::move(compiled));
    program_.pattern_texts.push_back(text);
    pattern_numbers_.emplace(text, number);
    return number;
  }

  static Result<std::vector<std::string_view>> name_list(const KeywordRule& rule, const Json& value) {
    std::vector<std::string_view> names;
    if (!value.is_array()) return expected(rule, "an array of names");
    for (const Json& name : value.get_array()) {
      if (!name.is_string()) return expected(rule, "an array of names");
      names.push_back(view(name.get_string()));
    }
    return names;
  }

  // dependentRequired has lists of names, dependentSchemas schemas, dependencies either.
  Result<void> dependents(const KeywordRule& rule, const Json& value, Parts& parts) {
    if (!value.is_object()) return expected(rule, "an object");
    const auto first_names = static_cast<std::uint32_t>(program_.dependent_names.size());
    const auto first_nodes = static_cast<std::uint32_t>(program_.dependent_nodes.size());
    for (const auto& member : value.get_object()) {
      if (rule.keyword == Keyword::dependent_required || (rule.keyword == Keyword::dependencies && member.value().is_array())) {
        HF_TRY(auto names, name_list(rule, member.value()));
        program_.dependent_names.push_back({member.key(), std::move(names)});
      } else {
        program_.dependent_nodes.push_back({member.key(), index_.number_of(member.value())});
      }
    }
    const auto names = static_cast<std::uint32_t>(program_.dependent_names.size()) - first_names;
    const auto nodes = static_cast<std::uint32_t>(program_.dependent_nodes.size()) - first_nodes;
    if (names > 0) parts.steps.push_back({Check::dependent_required, first_names, names});
    if (nodes > 0) parts.steps.push_back({Check::dependent_schemas, first_nodes, nodes});
    return {};
  }

  void items(const Json& value, Parts& parts) {
    if (!parts.items) parts.items.emplace();
    if (value.is_array()) {
      for (const Json& item : value.get_array()) parts.items->prefix.push_back(index_.number_of(item));
    } else {
      parts.items->rest = index_.number_of(value);
      parts.items->rest_keyword = "items";
    }
  }

  Result<void> list(const KeywordRule& rule, const Json& value, Check check, Parts& parts) {
    const JsonArray& schemas = value.get_array();
    if (schemas.empty()) return expected(rule, "an array with at least one schema");
    parts.steps.push_back(
        {check, static_cast<std::uint32_t>(program_.node_lists.size()), static_cast<std::uint32_t>(schemas.size())});
    for (const Json& schema : schemas) program_.node_lists.push_back(index_.number_of(schema));
    return {};
  }

  Result<void> reference(const KeywordRule& rule, const Json& value, Parts& parts) {
    if (!value.is_string()) return expected(rule, "a string");
    HF_TRY(auto target, index_.resolve(view(value.get_string()), number_));
    if (rule.keyword == Keyword::ref || target.dynamic_anchor.empty()) {
      parts.steps.push_back({Check::reference, target.place});
      return {};
    }
    const auto [known, added] = dynamic_names_.emplace(std::move(target.dynamic_anchor), dynamic_names_.size());
    if (added) program_.dynamic_anchors.emplace_back();  // filled when every place is known
    parts.steps.push_back({Check::dynamic_reference, target.place, known->second});
    return {};
  }

  // {"$ref": ...} alone is walked through without cost. Not across resources when dynamic references
  // look at the resources walked through.
  void forward_plain_references() {
    for (Node& node : program_.nodes) {
      if (node.never || node.types != kAnyType || node.count != 1) continue;
      const Step& step = program_.steps[node.first];
      if (step.check != Check::reference) continue;
      if (program_.has_dynamic_references && program_.nodes[step.a].resource != node.resource) continue;
      node.forward = step.a;
    }
    // Chains become one hop. Endless ones have been refused, and each node is walked from once.
    std::vector<std::uint32_t> chain;
    for (std::uint32_t start = 0; start < program_.nodes.size(); ++start) {
      std::uint32_t end = start;
      for (; program_.nodes[end].forward != kNone; end = program_.nodes[end].forward) chain.push_back(end);
      for (const std::uint32_t number : chain) program_.nodes[number].forward = end;
      chain.clear();
    }
  }

  // A schema that always leads back to itself before it looks at any part of the value, such as
  // {"$ref":"#"}, has no meaning. Loops that only some values enter are stopped when validating.
  Result<void> refuse_endless_references() {
    enum class Mark : std::uint8_t { fresh, open, closed };
    struct Visit {
      std::uint32_t node;
      std::uint32_t next;  // of the nodes it always leads to
    };
    std::vector<Mark> marks(program_.nodes.size(), Mark::fresh);
    std::vector<Visit> way;
    for (std::uint32_t start = 0; start < marks.size(); ++start) {
      if (marks[start] != Mark::fresh) continue;
      way.push_back({start, 0});
      marks[start] = Mark::open;
      while (!way.empty()) {
        const std::uint32_t next = always_next(way.back().node, way.back().next++);
        if (next == kNone) {
          marks[way.back().node] = Mark::closed;
          way.pop_back();
        } else if (marks[next] == Mark::open) {
          return fail(ErrorKind::invalid, fmt::format("{}: refers to itself without end", index_.location(next)));
        } else if (marks[next] == Mark::fresh) {
          marks[next] = Mark::open;
          way.push_back({next, 0});
        }
      }
    }
    return {};
  }

  // The nodes that every run of this one enters on the same value, one after the other; then kNone.
  std::uint32_t always_next(std::uint32_t number, std::uint32_t position) const {
    const Node& node = program_.nodes[number];
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Step& step = program_.steps[i];
      const std::uint32_t count = step.check == Check::reference ? 1 : step.check == Check::all_of ? step.b : 0;
      if (position < count) return step.check == Check::reference ? step.a : program_.node_lists[step.a + position];
      position -= count;
    }
    return kNone;
  }

  template <class Table, class Entry>
  static std::uint32_t push(Table& table, Entry&& entry) {
    table.push_back(std::forward<Entry>(entry));
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  static Members& members_of(Parts& parts) { return parts.members ? *parts.members : parts.members.emplace(); }
  static Condition& condition_of(Parts& parts) { return parts.condition ? *parts.condition : parts.condition.emplace(); }

  Program& program_;
  Index index_;
  Dialect dialect_;
  std::uint32_t number_ = 0;  // the place being compiled
  std::map<std::string_view, std::uint32_t> pattern_numbers_;
  std::size_t pattern_instructions_ = 0;
  std::map<std::string, std::uint32_t> dynamic_names_;
};

Result<Dialect> dialect_of(const Json& document) {
  const Json* named = find(document, "$schema");
  if (!named) return Dialect::draft_2020_12;
  if (!named->is_string()) return fail(ErrorKind::invalid, "#/$schema must be a string");
  const std::string_view uri = view(named->get_string());
  if (const auto dialect = dialect_named(uri)) return *dialect;
  return fail(ErrorKind::refused, fmt::format("the schema dialect \"{}\" is not supported", shorten(uri, 200)),
              "Use https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#.");
}

}  // namespace

std::uint32_t Members::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, shorter_or_before, &Member::name);
  return at != properties.end() && at->name == name ? at->node : kNone;
}

Result<void> compile(Program& program) {
  HF_TRY(const auto dialect, dialect_of(program.document));
  return Compiler(program, dialect).run();
}

}  // namespace holdfast::schema
