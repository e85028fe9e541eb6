#include "operations/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace holdfast::operations {

namespace {

constexpr std::string_view kAsked = "input_required", kFailure = "failure";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::islower(c) || c == '_'; });
}

Result<void> check_words(const Parameter& parameter, std::string_view text) {
  if (text.empty() && !parameter.may_be_empty)
    return fail(ErrorKind::invalid, fmt::format("{{{}}} is empty", parameter.name), "give it, or leave it out");
  const auto words = words_of(parameter);
  if (words.empty() || std::ranges::find(words, text) != words.end()) return {};
  std::string known(parameter.words);
  for (std::size_t bar = known.find('|'); bar != known.npos; bar = known.find('|')) known.replace(bar, 1, ", ");
  return fail(ErrorKind::invalid, fmt::format("{{{}}} cannot be {}", parameter.name, text), "use one of: " + known);
}

Result<void> check_value(const Parameter& parameter, const Json& value) {
  using enum Parameter::Type;
  const auto wrong = [&](std::string_view expected) {
    return fail(ErrorKind::invalid, fmt::format("{{{}}} is {}", parameter.name, expected));
  };
  switch (parameter.type) {
    case text:
      if (!value.is_string()) return wrong("a text");
      return check_words(parameter, view(value.get_string()));
    case texts:
      if (value.is_string()) return check_words(parameter, view(value.get_string()));
      if (!value.is_array()) return wrong("a list of texts");
      for (const Json& each : value.get_array()) {
        if (!each.is_string()) return wrong("a list of texts");
        HF_CHECK(check_words(parameter, view(each.get_string())));
      }
      return {};
    case number:
      if (!value.is_int64() || value.get_int64() < parameter.least || value.get_int64() > parameter.most)
        return wrong(fmt::format("a whole number from {} to {}", parameter.least, parameter.most));
      return {};
    case json:
      return {};
    case flag:
    case choice:
      return value.is_bool() ? Result<void>() : wrong("true or false");
  }
  return {};
}

}  // namespace

std::string_view name_of(Effect effect) {
  switch (effect) {
    case Effect::reads:
      return "reads";
    case Effect::adds:
      return "adds";
    case Effect::changes:
      return "changes";
    case Effect::removes:
      return "removes";
  }
  return "reads";
}

std::unexpected<Error> asked() {
  return fail(ErrorKind::cancelled, "waits for an answer", {}, std::string(kAsked));
}

bool is_asked(const Error& error) {
  return error.code == kAsked;
}

Facts with_failure(Facts facts, const Error& error) {
  facts[kFailure] = JsonObject{
      {"kind", static_cast<std::int64_t>(error.kind)}, {"message", error.message}, {"hint", error.hint}, {"code", error.code}};
  return facts;
}

std::optional<Error> take_failure(Facts& facts) {
  const JsonObject* failure = find_object(facts, kFailure);
  if (!failure) return std::nullopt;
  Error error = make_error(static_cast<ErrorKind>(find_int(*failure, "kind").value_or(0)), text_in(*failure, "message"),
                           text_in(*failure, "hint"), text_in(*failure, "code"));
  facts.erase(kFailure);
  return error;
}

Result<void> check(const Operation& operation, const Given& given) {
  for (const auto& value : given.values()) {
    const Parameter* parameter = find(operation.parameters, value.key());
    if (!parameter) return fail(ErrorKind::invalid, fmt::format("{} takes no {}", operation.name, std::string_view(value.key())));
    HF_CHECK(check_value(*parameter, value.value()));
    for (const std::string_view other : parts_of(parameter->against))
      if (other != parameter->name && given.has(other))
        return fail(ErrorKind::invalid, fmt::format("{{{}}} and {{{}}} exclude each other", parameter->name, other));
  }
  for (const Parameter& parameter : operation.parameters)
    if (parameter.required && !given.has(parameter.name))
      return fail(ErrorKind::invalid, fmt::format("{} needs {{{}}}", operation.name, parameter.name));
  return {};
}

std::string in_spelling_of(std::string_view text, const std::function<std::string(std::string_view)>& spell) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    const std::size_t close = text.find('}', open);
    out += text.substr(0, open);
    if (close == text.npos) return out += text.substr(open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    out += is_name(name) ? spell(name) : std::string(text.substr(open, close + 1 - open));
    text.remove_prefix(close + 1);
  }
  return out;
}

void put_in_spelling_of(Error& error, const std::function<std::string(std::string_view)>& spell) {
  error.message = in_spelling_of(error.message, spell);
  error.hint = in_spelling_of(error.hint, spell);
}

}  // namespace holdfast::operations
