#pragma once

// JSON Schema 2020-12 for tool arguments and elicitation answers. A schema without "$schema" is
// 2020-12, one that names draft-07 is read as such (many tools still do), any other is refused.
//
// A schema is compiled once and then validates any number of values, from any thread. Only
// references inside the schema itself are followed; nothing is ever fetched, and a reference that
// leaves the document rejects the schema. Patterns run on RE2, in linear time; one that RE2 cannot
// run (look-around, back-references) rejects the schema.

#include "base/json/json.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast {

struct SchemaLimits {
  std::size_t max_subschemas = 20'000;
  std::size_t max_depth = 128;        // nesting of the schema, and of one validation
  std::size_t max_steps = 2'000'000;  // keyword evaluations in one validation
  std::size_t max_violations = 20;    // reported; enough for a model to mend a call in one go
  // "format" is a remark unless this is set; then email, uri, date and date-time are checked, the
  // formats of elicitation forms.
  bool assert_formats = false;
};

struct SchemaViolation {
  std::string path;     // JSON pointer into the value: "/options/0/label", "" is the whole
  std::string keyword;  // "required", "type", ...; "limit" when the validation was given up
  std::string message;  // "is required", "must be one of \"a\", \"b\"; got \"c\""
};

class Schema {
 public:
  // Errors: invalid (says where in the schema), refused (unsupported dialect, outside reference),
  // too_large. Unknown keywords are ignored, as the specification says.
  static Result<Schema> compile(const Json& schema, const SchemaLimits& limits = {});

  // Empty when the value fits. A validation that hits a limit reports that as its violation:
  // doubt never passes.
  std::vector<SchemaViolation> validate(const Json& value) const;
  bool accepts(const Json& value) const;

  ~Schema();
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;

 private:
  struct Compiled;
  explicit Schema(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

// One line a model can act on: "name: is required; age: must be an integer, got \"x\"".
std::string describe(const std::vector<SchemaViolation>& violations);

}  // namespace holdfast
