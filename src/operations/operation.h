#pragma once

// What can be done, declared once (design §3). A row of the table has a name, what it can be given, who may do it, what it does
// to what is there, and a function that returns facts: named values, no sentence for one surface. From the row come the command
// with its help and completion, the tool with its schema, the action of a page, and the pages of docs/reference.
//
// Refusals name parameters in braces ("give {force}"); each surface spells them in its own way (in_spelling_of).

#include "base/identity.h"
#include "base/json/json.h"
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

using Run = Result<Facts> (*)(Context&, const Given&);

struct Operation {
  std::string_view name;     // "clone"; operations on sessions of the store have two words, "sessions pin"
  std::string_view summary;  // what it does, in half a line
  Parameters parameters = {};
  Scope scope = Scope::read;
  Effect effect = Effect::reads;
  // Also reaches other machines: a gist, a bucket, a model.
  bool reaches_out = false;
  Run run = nullptr;
  // Of sessions of this kind alone; empty: of every kind that the store has. Of two that end in the same word the kind's own
  // counts.
  std::string_view kind = {};
};
// Rows of what only looks, for who may read; of what adds, changes and removes, for who may write.
constexpr Operation reads(std::string_view name, std::string_view summary, Parameters parameters, Run run) {
  return {name, summary, parameters, Scope::read, Effect::reads, false, run};
}
constexpr Operation adds(std::string_view name, std::string_view summary, Parameters parameters, Run run) {
  return {name, summary, parameters, Scope::write, Effect::adds, false, run};
}
constexpr Operation changes(std::string_view name, std::string_view summary, Parameters parameters, Run run) {
  return {name, summary, parameters, Scope::write, Effect::changes, false, run};
}
constexpr Operation removes(std::string_view name, std::string_view summary, Parameters parameters, Run run) {
  return {name, summary, parameters, Scope::write, Effect::removes, false, run};
}

// The same of sessions of one kind; and of what also reaches other machines.
constexpr Operation of_kind(std::string_view kind, Operation row) {
  row.kind = kind;
  return row;
}
constexpr Operation outward(Operation row) {
  row.reaches_out = true;
  return row;
}
// Of what takes another right than to read or to write: deciding on changes, looking after the store.
constexpr Operation for_scope(Scope scope, Operation row) {
  row.scope = scope;
  return row;
}

// What it does, without the word in front that says to what: "pin".
constexpr std::string_view action_of(const Operation& operation) {
  return operation.name.substr(operation.name.rfind(' ') + 1);
}

// The error of a call that has put a question to whoever calls. Nothing has happened: the surface sends the question, and runs
// the operation again from the top when there is an answer. Everybody else passes it on like any error.
std::unexpected<Error> asked();
bool is_asked(const Error& error);

// Facts of an operation that has failed and left something behind all the same: a message that no model answered.
Facts with_failure(Facts facts, const Error& error);
// Takes the error out of them; nullopt: it has not failed.
std::optional<Error> take_failure(Facts& facts);

// Whether what was given fits the parameters: known names, types, ranges, words, what excludes each other, what must be there.
// For surfaces that have no reader of their own. Errors: invalid, naming the parameter in braces.
Result<void> check(const Operation& operation, const Given& given);

// A text in which "{force}" stands for parameters, as a surface spells them: `spell` gets the name. What is no name in braces
// stays as it is.
std::string in_spelling_of(std::string_view text, const std::function<std::string(std::string_view name)>& spell);
void put_in_spelling_of(Error& error, const std::function<std::string(std::string_view name)>& spell);

}  // namespace holdfast::operations
