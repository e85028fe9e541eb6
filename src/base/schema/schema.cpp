#include "base/schema/schema.h"

#include "base/schema/schema_run.h"

#include <algorithm>

namespace holdfast {

Schema::Schema(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::~Schema() = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;

Result<Schema> Schema::compile(const Json& schema, const SchemaLimits& limits) {
  auto compiled = std::make_shared<Compiled>();
  compiled->program.document = schema;
  compiled->program.limits = limits;
  compiled->program.limits.max_violations = std::max<std::size_t>(1, limits.max_violations);  // none would mean "fits"
  HF_CHECK(schema::compile(compiled->program));
  return Schema(std::move(compiled));
}

bool Schema::accepts(const Json& value) const {
  return schema::Run(compiled_->program, nullptr).whole(value);
}

std::vector<SchemaViolation> Schema::validate(const Json& value) const {
  std::vector<SchemaViolation> violations;
  schema::Run quick(compiled_->program, nullptr);
  if (quick.whole(value)) return violations;  // the usual case; explaining is for what failed
  if (const SchemaViolation* limit = quick.limit()) return {*limit};
  schema::Run(compiled_->program, &violations).whole(value);
  if (violations.empty()) violations.push_back({"", "limit", "does not fit"});  // doubt never passes
  return violations;
}

}  // namespace holdfast
