// allOf, anyOf, oneOf, not, if: and how to say briefly that none of several forms fits.

#include "base/schema/schema_describe.h"
#include "base/schema/schema_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxFormsExplained = 32;  // looked at for the nearest one

// How far a value is from a form. A wrong constant mostly is the mark of another form ("kind":
// "circle"), so it weighs more than everything that may be wrong inside the right one.
std::size_t distance(const std::vector<SchemaViolation>& violations) {
  constexpr std::size_t kWrongForm = 100;
  std::size_t sum = 0;
  for (const SchemaViolation& violation : violations) {
    sum += violation.keyword == "const" || violation.keyword == "enum" ? kWrongForm : 1;
  }
  return sum;
}

}  // namespace

bool Run::quietly(std::uint32_t number, const Json& value, Seen* seen) {
  auto* const violations = std::exchange(violations_, nullptr);
  bool fits = false;
  if (!seen) {
    fits = node(number, value, nullptr);
  } else if (spend(Seen::cost(value))) {
    Seen own(value);  // dropped when it does not fit
    fits = node(number, value, &own);
    if (fits) seen->add(own);
  }
  violations_ = violations;
  return fits;
}

std::vector<SchemaViolation> Run::violations_of(std::uint32_t number, const Json& value) {
  std::vector<SchemaViolation> found;
  auto* const violations = std::exchange(violations_, &found);
  node(number, value, nullptr);
  violations_ = violations;
  return found;
}

bool Run::all_of(const Step& step, const Json& value, Seen* seen) {
  bool fits = true;
  for (const std::uint32_t form : std::span(program_.node_lists).subspan(step.a, step.b)) {
    if (node(form, value, seen)) continue;
    fits = false;
    if (enough()) break;
  }
  return fits;
}

bool Run::any_of(const Step& step, const Json& value, Seen* seen) {
  const auto forms = std::span(program_.node_lists).subspan(step.a, step.b);
  bool fits = false;
  for (const std::uint32_t form : forms) {
    if (quietly(form, value, seen)) {
      fits = true;
      if (!seen) break;  // the others could still mark something
    }
    if (gave_up_) return false;
  }
  return fits || no_form_fits("anyOf", forms, value);
}

bool Run::one_of(const Step& step, const Json& value, Seen* seen) {
  const auto forms = std::span(program_.node_lists).subspan(step.a, step.b);
  std::size_t first = forms.size();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const bool fits = quietly(forms[i], value, seen);
    if (gave_up_) return false;
    if (!fits) continue;
    if (first != forms.size()) {
      return fail_with("oneOf", [&] {
        return fmt::format("must fit exactly one of {} forms, fits the forms {} and {}", forms.size(), first + 1, i + 1);
      });
    }
    first = i;
  }
  return first != forms.size() || no_form_fits("oneOf", forms, value);
}

bool Run::negation(const Step& step, const Json& value) {
  if (!quietly(step.a, value, nullptr)) return !gave_up_;
  return fail_with("not", [&] { return "must not be like " + brief(*program_.sources[step.a]); });
}

bool Run::condition(const Condition& condition, const Json& value, Seen* seen) {
  const bool met = quietly(condition.test, value, seen);
  if (gave_up_) return false;
  const std::uint32_t branch = met ? condition.met : condition.unmet;
  return branch == kNone || node(branch, value, seen);
}

// A list of constants or of types is said in one sentence; of other forms the nearest is explained.
bool Run::no_form_fits(std::string_view keyword, std::span<const std::uint32_t> forms, const Json& value) {
  if (enough()) return false;
  std::vector<const Json*> constants;
  std::vector<std::uint32_t> same_type;
  std::uint8_t types = 0;
  for (const std::uint32_t form : forms) {
    const Node& target = target_of(form);
    types |= target.types;
    if ((target.types & type_of(value)) != 0 && !target.never) same_type.push_back(form);
    if (const Json* constant = find(*program_.sources[form], "const")) constants.push_back(constant);
  }
  if (constants.size() == forms.size()) return fail(keyword, not_listed(constants, constants.size(), value));
  if (same_type.empty()) return fail("type", wrong_type(types, value));
  if (same_type.size() > kMaxFormsExplained) same_type.resize(kMaxFormsExplained);

  std::vector<SchemaViolation> nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::uint32_t form : same_type) {
    auto found = violations_of(form, value);
    if (gave_up_) return false;
    if (const std::size_t far = distance(found); !found.empty() && far < least) {
      least = far;
      nearest = std::move(found);
    }
  }
  if (nearest.empty()) return fail(keyword, "fits none of the allowed forms");
  nearest.front().message += fmt::format(" (in the nearest of {} allowed forms)", forms.size());
  for (SchemaViolation& violation : nearest) {
    if (!enough()) violations_->push_back(std::move(violation));
  }
  return false;
}

}  // namespace holdfast::schema
