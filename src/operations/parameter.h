#pragma once

// What an operation can be given, declared once and spelled by each surface in its own language: `target_project` is an argument
// of a tool, `--target-project` an option of a command, a field of a form on a page.
//
// Values; constant; any thread.

#include "base/json/json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

// A list of texts, or one text alone; what is neither is passed over.
std::vector<std::string> texts_in(const JsonObject& object, std::string_view name);

}  // namespace holdfast

namespace holdfast::operations {

// As `least`: also a number below zero, which the operation itself judges.
inline constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::min();

// What one call of an operation was given, by the names of its parameters. A surface has read and checked it against the table:
// types and ranges hold, and nothing else is in it.

class Given {
 public:
  Given() = default;
  explicit Given(JsonObject values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string text(std::string_view name) const { return text_in(values_, name); }  // "" when it was not given
  std::vector<std::string> texts(std::string_view name) const { return texts_in(values_, name); }
  bool flag(std::string_view name, bool fallback = false) const { return find_bool(values_, name).value_or(fallback); }
  std::optional<bool> choice(std::string_view name) const { return find_bool(values_, name); }
  std::optional<std::int64_t> number(std::string_view name) const { return find_int(values_, name); }
  std::int64_t number(std::string_view name, std::int64_t fallback) const { return number(name).value_or(fallback); }

  void set(std::string_view name, Json value) { values_[name] = std::move(value); }
  void remove(std::string_view name) { values_.erase(name); }
  const JsonObject& values() const { return values_; }

 private:
  JsonObject values_;
};

struct Parameter {
  enum class Type : std::uint8_t {
    text,    // one word or text
    texts,   // several of them
    number,  // a whole number from `least` to `most`
    flag,    // true when it is given
    choice,  // true or false must be said; nothing is assumed
    json     // a value that only programs give
  };

  std::string_view name;  // letters and underscores, unique in its operation
  Type type = Type::text;
  std::string_view help = {};      // a short line; "{force}" in it names another parameter
  std::string_view fallback = {};  // what holds when it is not given, for people to read
  std::string_view value = {};     // what is expected: DIR, FILE, TIME, UUID, OLD=NEW
  std::string_view words = {};     // the only ones allowed, divided by '|'
  std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max();
  bool required = false;
  bool may_be_empty = true;       // an empty text is as good as none
  bool divided = false;           // of several texts: one word may hold more of them, divided by commas
  std::string_view against = {};  // others that cannot be given with it, divided by '|'; it may stand among them itself

  // How a command spells it, when it is not the name with dashes: "-f,--format". In capitals, what stands without a name: "ID".
  // Several words without a name fill the parameters of that form one after another; the last may take all that are left. "--":
  // the words behind two dashes, which are for another program. A choice has a second spelling that says no: "--no-...".
  std::string_view option = {};
  // A value may be left out behind the option: `--resume` means the newest. The text is then empty.
  bool value_may_be_left_out = false;
};

// One word that must be there, and several of them.
constexpr Parameter needed(std::string_view name, std::string_view option, std::string_view help,
                           Parameter::Type type = Parameter::Type::text) {
  return {.name = name, .type = type, .help = help, .required = true, .may_be_empty = false, .option = option};
}
// A number within bounds.
constexpr Parameter bounded(std::string_view name, std::string_view help, std::string_view fallback, std::int64_t least,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {.name = name, .type = Parameter::Type::number, .help = help, .fallback = fallback, .least = least, .most = most};
}
// One of a few words.
constexpr Parameter one_of(std::string_view name, std::string_view words, std::string_view help, std::string_view fallback,
                           std::string_view option = {}) {
  return {.name = name, .help = help, .fallback = fallback, .words = words, .option = option};
}
// Parameters of several arrays, one behind the other.
template <std::size_t... sizes>
constexpr auto joined(const std::array<Parameter, sizes>&... parts) {
  std::array<Parameter, (sizes + ...)> all{};
  auto* to = all.data();
  ((to = std::copy(parts.begin(), parts.end(), to)), ...);
  return all;
}

using Parameters = std::span<const Parameter>;

// A text that may be left out, but is not empty.
constexpr Parameter optional(std::string_view name, std::string_view option, std::string_view help,
                             std::string_view fallback = {}) {
  return {.name = name, .help = help, .fallback = fallback, .may_be_empty = false, .option = option};
}

// What '|' divides: the words of a parameter, or those it excludes.
std::vector<std::string_view> parts_of(std::string_view divided);
// The allowed words of a parameter, one by one.
std::vector<std::string_view> words_of(const Parameter& parameter);
const Parameter* find(Parameters parameters, std::string_view name);

}  // namespace holdfast::operations
