#pragma once

// One validation: a Program applied to a value.
//
// Without a place for violations a run stops at the first thing that does not fit and allocates
// next to nothing; with one it goes on and explains. The steps of both are counted, so hostile
// schemas and values end in "limit" and never in an answer that was not worked out.

#include "base/json/json.h"
#include "base/schema/schema_program.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::schema {

// Which members or items of one value some keyword has looked at: what unevaluatedProperties and
// unevaluatedItems ask. Positions are those of the object's or array's own order.
class Seen {
 public:
  explicit Seen(const Json& value) {
    const std::size_t size = size_of(value);
    if (size > 64) more_.resize((size - 1) / 64);
  }

  void mark(std::size_t position) { word(position / 64) |= std::uint64_t{1} << (position % 64); }
  void mark_all() { all_ = true; }
  bool has(std::size_t position) const {
    if (all_) return true;
    const std::uint64_t bits = position < 64 ? first_ : more_[position / 64 - 1];
    return (bits >> (position % 64) & 1) != 0;
  }

  // Both must be about the same value.
  void add(const Seen& other) {
    all_ = all_ || other.all_;
    first_ |= other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] |= other.more_[i];
  }

  // What making one of these costs, in steps.
  static std::size_t cost(const Json& value) { return 1 + size_of(value) / 64; }

 private:
  static std::size_t size_of(const Json& value) {
    if (value.is_object()) return value.get_object().size();
    return value.is_array() ? value.get_array().size() : 0;
  }
  std::uint64_t& word(std::size_t number) { return number == 0 ? first_ : more_[number - 1]; }

  bool all_ = false;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

// The bit of Type that a value has; a number is kInteger when it is one, else kNumber.
std::uint8_t type_of(const Json& value);

class Run {
 public:
  // violations may be nullptr.
  Run(const Program& program, std::vector<SchemaViolation>* violations)
      : program_(program), violations_(violations), steps_left_(program.limits.max_steps) {}

  bool whole(const Json& value);
  // After a run that was given up: why. Nothing is known about the value then.
  const SchemaViolation* limit() const { return gave_up_ ? &limit_ : nullptr; }

 private:
  // schema_run.cpp
  bool node(std::uint32_t number, const Json& value, Seen* seen);
  bool steps(const Node& node, const Json& value, Seen* seen);
  bool step(const Step& step, const Node& node, const Json& value, Seen* seen);
  bool reference(const Step& step, const Json& value, Seen* seen);
  bool member(std::uint32_t node, std::string_view name, const Json& value);  // of the value at path_
  bool item(std::uint32_t node, std::size_t position, const Json& value);
  bool spend(std::size_t steps);
  bool give_up(std::string message);
  bool explains() const { return violations_ != nullptr; }
  bool enough() const { return !violations_ || gave_up_ || violations_->size() >= program_.limits.max_violations; }
  bool fail(std::string_view keyword, std::string message);  // false; the message only when explains()
  std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> known);  // " (did you mean ...?)" or ""
  template <class Text>
  bool fail_with(std::string_view keyword, Text text) {
    return explains() ? fail(keyword, text()) : false;
  }

  // of scalars
  bool constant(const Json& wanted, const Json& value);
  bool enumeration(const Enumeration& wanted, const Json& value);
  bool number(const Step& step, const Json& value);
  bool text(const Step& step, const Json& value);
  bool size(const Step& step, const Json& value);

  // schema_run_object.cpp
  bool required(const Step& step, const JsonObject& object);
  bool missing(std::string_view keyword, std::string_view name, std::string_view why);
  bool dependent_required(const Step& step, const JsonObject& object);
  bool dependent_schemas(const Step& step, const Json& value, Seen* seen);
  bool members(const Members& members, const JsonObject& object, Seen* seen);
  bool member_fits(const Members& members, const JsonObject& object, std::size_t position, Seen* seen);
  bool property_names(std::uint32_t node, const JsonObject& object);
  bool unevaluated_properties(const Step& step, const Node& node, const JsonObject& object, Seen& seen);
  bool unknown_member(std::string_view keyword, std::string_view name, const Members* known, const JsonObject& object);

  // of arrays
  bool items(const Items& items, const JsonArray& array, Seen* seen);
  bool unique_items(const Json& value);
  bool contains(const Contains& contains, const JsonArray& array, Seen* seen);
  bool unevaluated_items(const Step& step, const JsonArray& array, Seen& seen);

  // schema_run_choice.cpp
  bool quietly(std::uint32_t node, const Json& value, Seen* seen);  // adds to seen when it fits
  bool all_of(const Step& step, const Json& value, Seen* seen);
  bool any_of(const Step& step, const Json& value, Seen* seen);
  bool one_of(const Step& step, const Json& value, Seen* seen);
  bool negation(const Step& step, const Json& value);
  bool condition(const Condition& condition, const Json& value, Seen* seen);
  bool no_form_fits(std::string_view keyword, std::span<const std::uint32_t> forms, const Json& value);
  std::vector<SchemaViolation> violations_of(std::uint32_t node, const Json& value);
  const Node& target_of(std::uint32_t node) const;

  const Program& program_;
  std::vector<SchemaViolation>* violations_;
  std::size_t steps_left_;
  std::size_t depth_ = 0;
  bool gave_up_ = false;              // for good; nothing that comes later turns it into an answer
  SchemaViolation limit_;             // why
  std::string path_;                  // only while explaining
  std::vector<std::uint32_t> scope_;  // resources entered, outermost first; only for dynamic references
};

}  // namespace holdfast::schema
