#include "base/schema/schema_describe.h"
#include "base/schema/schema_equal.h"
#include "base/schema/schema_number.h"
#include "base/schema/schema_run.h"
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
