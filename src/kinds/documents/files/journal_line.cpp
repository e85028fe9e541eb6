#include "base/json/json.h"
#include "kinds/documents/files/journal.h"

#include <array>
#include <utility>

namespace holdfast::documents {
namespace {

using Kind = FileStep::Kind;
using End = JournaledOperation::End;

constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds = {
    {{Kind::replace, "replace"}, {Kind::create, "create"}, {Kind::rename, "rename"}, {Kind::trash, "trash"}}};
constexpr std::array<std::pair<End, std::string_view>, 3> kEnds = {
    {{End::committed, "committed"}, {End::done, "done"}, {End::undone, "undone"}}};

template <class Table, class Value>
std::string_view word_for(const Table& table, Value value) {
  for (const auto& [each, word] : table)
    if (each == value) return word;
  return "";
}

template <class Table, class Value>
bool value_for(const Table& table, std::string_view word, Value& value) {
  for (const auto& [each, name] : table) {
    if (name != word) continue;
    value = each;
    return true;
  }
  return false;
}

void put(JsonObject& object, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  JsonArray& array = object[key].emplace_array();
  for (const std::string& each : texts) array.emplace_back(each);
}

JsonObject step_object(const JournaledStep& step) {
  JsonObject object;
  put_text(object, "kind", word_for(kKinds, step.kind));
  put_text(object, "key", step.key);
  put_text(object, "to", step.to);
  put_text(object, "before", step.before);
  put_text(object, "after", step.after);
  put_text(object, "trash", step.trash);
  put_text(object, "temporary", step.temporary);
  put(object, "parents", step.parents);
  if (step.inode != 0) object["inode"] = step.inode;
  return object;
}

std::uint64_t number(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

std::optional<JournaledStep> step_of(const JsonObject& object) {
  JournaledStep step;
  if (!value_for(kKinds, text_in(object, "kind"), step.kind)) return std::nullopt;
  step.key = text_in(object, "key");
  step.to = text_in(object, "to");
  step.before = text_in(object, "before");
  step.after = text_in(object, "after");
  step.trash = text_in(object, "trash");
  step.temporary = text_in(object, "temporary");
  step.parents = strings_in(object, "parents");
  step.inode = number(object, "inode");
  return step;
}

std::optional<JournaledOperation> operation_in(const JsonObject& object) {
  JournaledOperation operation;
  operation.id = text_in(object, "id");
  operation.time = find_int(object, "time").value_or(0);
  operation.note.action = text_in(object, "action");
  operation.note.who = text_in(object, "who");
  operation.note.undoes = text_in(object, "undoes");
  operation.note.change_ids = strings_in(object, "changes");
  const JsonArray* steps = find_array(object, "steps");
  if (operation.id.empty() || !steps) return std::nullopt;
  for (const Json& each : *steps) {
    const JsonObject* inner = each.if_object();
    auto step = inner ? step_of(*inner) : std::nullopt;
    if (!step) return std::nullopt;
    operation.steps.push_back(*std::move(step));
  }
  return operation;
}

}  // namespace

std::string to_line(const JournaledOperation& operation) {
  JsonObject object;
  object["id"] = operation.id;
  object["time"] = operation.time;
  object["action"] = operation.note.action;
  put_text(object, "who", operation.note.who);
  put_text(object, "undoes", operation.note.undoes);
  put(object, "changes", operation.note.change_ids);
  JsonArray& steps = object["steps"].emplace_array();
  for (const JournaledStep& step : operation.steps) steps.emplace_back(step_object(step));
  return to_json(object);
}

std::string to_end_line(std::string_view id, End how) {
  JsonObject object;
  object[word_for(kEnds, how)] = id;
  return to_json(object);
}

std::optional<JournalLine> parse_line(std::string_view line) {
  const auto value = parse_json(line);
  const JsonObject* object = value ? value->if_object() : nullptr;
  if (!object) return std::nullopt;
  JournalLine parsed;
  for (const auto& [how, word] : kEnds) {
    parsed.ended = text_in(*object, word);
    parsed.how = how;
    if (!parsed.ended.empty()) return parsed;
  }
  parsed.begun = operation_in(*object);
  if (!parsed.begun) return std::nullopt;
  return parsed;
}

}  // namespace holdfast::documents
