#pragma once

// What an operation can be given, declared once and spelled by each surface in its own language: `target_project` is an argument
// of a tool, `--target-project` an option of a command, a field of a form on a page.
//
// Values; constant; any thread.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::operations {

struct Parameter {
  enum class Type : std::uint8_t {
    text,    // one word or text
    texts,   // several of them
    number,  // a whole number from `least` to `most`
    flag,    // true when it is given
    choice,  // true or false must be said; nothing is assumed
    objects  // several values with members of their own, which the operation looks at; no command and no form has it
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

using Parameters = std::span<const Parameter>;

// What must be there, and is not empty. `option`: how a command spells it, "FILE" for a word without a name.
constexpr Parameter needed(std::string_view name, std::string_view option, std::string_view help,
                           Parameter::Type type = Parameter::Type::text) {
  return {.name = name, .type = type, .help = help, .required = true, .may_be_empty = false, .option = option};
}
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
