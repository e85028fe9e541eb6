#pragma once

// What can be done, declared once (design §3). A row of the table has a name, what it can be given, who may do it, what it does
// to what is there, and a function that returns facts: named values, no sentence for one surface. From the row come the command
// with its help and completion, the tool with its schema, the action of a page, and the pages of docs/reference.
//
// Refusals name parameters in braces ("give {force}"); each surface spells them in its own way (in_spelling_of).

#include "base/identity.h"
#include "base/json/json.h"
#include "operations/given.h"
#include "operations/parameter.h"

#include <functional>

namespace holdfast::operations {

class Context;

using Facts = JsonObject;

// What it does to what is there: hints of tools, methods of HTTP, the colour of a button.
enum class Effect : std::uint8_t {
  reads,    // nothing changes
  adds,     // something new; what is there stays as it is
  changes,  // what is there, so that it can be changed back
  removes   // asks first, or makes a backup
};
std::string_view name_of(Effect effect);

struct Operation {
  std::string_view name;     // "clone"; operations on sessions of the store have two words, "sessions pin"
  std::string_view summary;  // what it does, in half a line
  Parameters parameters = {};
  Scope scope = Scope::read;
  Effect effect = Effect::reads;
  // Also reaches other machines: a gist, a bucket, a model.
  bool reaches_out = false;
  Result<Facts> (*run)(Context&, const Given&) = nullptr;
};

// A row as most are: in one line or two.
constexpr Operation row(std::string_view name, std::string_view summary, Result<Facts> (*run)(Context&, const Given&),
                        Parameters parameters = {}, Scope scope = Scope::read, Effect effect = Effect::reads) {
  return {.name = name, .summary = summary, .parameters = parameters, .scope = scope, .effect = effect, .run = run};
}

// Whether what was given fits the parameters: known names, types, ranges, words, what excludes each other, what must be there.
// For surfaces that have no reader of their own. Errors: invalid, naming the parameter in braces.
Result<void> check(const Operation& operation, const Given& given);

// A text in which "{force}" stands for parameters, as a surface spells them: `spell` gets the name. What is no name in braces
// stays as it is.
std::string in_spelling_of(std::string_view text, const std::function<std::string(std::string_view name)>& spell);
void put_in_spelling_of(Error& error, const std::function<std::string(std::string_view name)>& spell);

}  // namespace holdfast::operations
