#include "kinds/reasoning/thought.h"

#include "base/schema/schema.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace holdfast::reasoning {
namespace {

constexpr std::string_view kOptions = R"({"type":"array","minItems":1,"items":{"type":"object","required":["label","selected"],
  "properties":{"label":{"type":"string","minLength":1},"selected":{"type":"boolean"},"reason":{"type":"string"}}}})";
constexpr std::string_view kAction = R"({"type":"object","required":["success","reversible","tool","target"],"properties":{
  "success":{"type":"boolean"},"reversible":{"enum":["yes","no","partial"]},"tool":{"type":"string","minLength":1},
  "target":{"type":"string","minLength":1},"sideEffects":{"type":"array","items":{"type":"string"}}}})";
constexpr std::string_view kBeliefs = R"({"type":"object","required":["entities"],"properties":{
  "entities":{"type":"array","minItems":1,"items":{"type":"object","required":["name","state"],
    "properties":{"name":{"type":"string"},"state":{"type":"string"}}}},
  "constraints":{"type":"array","items":{"type":"string"}},"risks":{"type":"array","items":{"type":"string"}}}})";
constexpr std::string_view kAssumption = R"({"type":"object","required":["text","oldStatus","newStatus"],"properties":{
  "text":{"type":"string","minLength":1},"oldStatus":{"type":"string"},"newStatus":{"enum":["believed","uncertain","refuted"]},
  "trigger":{"type":"string"},"downstream":{"type":"array","items":{"type":"integer"}}}})";
constexpr std::string_view kContext =
    R"({"type":"object","properties":{"toolsAvailable":{"type":"array","items":{"type":"string"}},
  "systemPromptHash":{"type":"string"},"modelId":{"type":"string"},"constraints":{"type":"array","items":{"type":"string"}},
  "dataSourcesAccessed":{"type":"array","items":{"type":"string"}}}})";
constexpr std::string_view kProgress = R"({"type":"object","required":["task","status"],"properties":{
  "task":{"type":"string","minLength":1},"status":{"enum":["pending","in_progress","done","blocked"]},"note":{"type":"string"}}})";
constexpr std::string_view kReceipt = R"({"type":"object","required":["toolName","match"],"properties":{
  "toolName":{"type":"string","minLength":1},"match":{"type":"boolean"},"expected":{"type":"string"},"actual":{"type":"string"},
  "residual":{"type":"string"},"durationMs":{"type":"number"}}})";

constexpr std::array kTypes = {
    ThoughtType{"reasoning", "", "", false, 'T', "a step of thinking"},
    ThoughtType{"finding", "", "", false, 'F', "something learned"},
    ThoughtType{"synthesis", "", "", false, 'Y', "several lines brought together"},
    ThoughtType{"question", "", "", false, 'Q', "something still open"},
    ThoughtType{"conclusion", "", "", false, 'C', "what follows"},
    ThoughtType{"decision_frame", "options", kOptions, true, 'D', "a choice among options, one of them selected"},
    ThoughtType{"action_report", "actionResult", kAction, false, 'A', "what was done, and how it went"},
    ThoughtType{"belief_snapshot", "beliefs", kBeliefs, false, 'B', "how things are believed to be"},
    ThoughtType{"assumption_update", "assumptionChange", kAssumption, false, 'U', "an assumption that changed"},
    ThoughtType{"context_snapshot", "contextData", kContext, false, 'X', "what there was to work with"},
    ThoughtType{"progress", "progressData", kProgress, false, 'P', "how far a task has come"},
    ThoughtType{"action_receipt", "receiptData", kReceipt, false, 'R', "whether an action did what was expected"}};

constexpr std::array<std::string_view, 3> kConfidence = {"high", "medium", "low"};

// Compiled once: every call of the tool comes by.
const Schema& schema_of(const ThoughtType& type) {
  static const std::vector<Schema> schemas = [] {
    std::vector<Schema> made;
    for (const ThoughtType& each : kTypes)
      made.push_back(Schema::compile(parse_json(each.schema.empty() ? "{}" : each.schema).value()).value());
    return made;
  }();
  return schemas[static_cast<std::size_t>(&type - kTypes.data())];
}

std::unexpected<Error> wrong(const ThoughtType& type, const std::string& what) {
  return fail(ErrorKind::invalid, fmt::format("a {} needs {}", type.name, what),
              fmt::format("schema of {}: {}", type.payload.empty() ? "confidence" : type.payload,
                          type.payload.empty() ? "high, medium or low" : to_json(parse_json(type.schema).value())),
              "invalid_argument");
}

}  // namespace

session::NewEntry to_entry(const Thought& thought, std::string idempotency_key) {
  session::NewEntry entry;
  entry.type = thought.type;
  entry.lane = thought.branch;
  entry.number = thought.number;
  entry.time = thought.time;
  entry.author = thought.agent_name.empty() ? thought.agent_id : thought.agent_name;
  entry.run = thought.run;
  entry.idempotency_key = std::move(idempotency_key);
  entry.text = thought.text;

  JsonObject data;
  data["total"] = thought.total;
  if (!thought.next_needed) data["next"] = false;
  if (thought.revises) data["revises"] = *thought.revises;
  if (thought.revises_main) data["revisesMain"] = true;
  if (thought.branch_from) data["from"] = *thought.branch_from;
  if (thought.requested) data["requested"] = *thought.requested;
  if (thought.needs_more) data["needsMore"] = *thought.needs_more;
  if (!thought.agent_id.empty()) data["agentId"] = thought.agent_id;
  if (!thought.agent_name.empty()) data["agentName"] = thought.agent_name;
  if (!thought.payload.empty()) data["payload"] = thought.payload;
  entry.data = to_json(data);
  return entry;
}

Thought to_thought(const session::Entry& entry) {
  Thought thought;
  thought.seq = entry.seq;
  thought.number = entry.number;
  thought.branch = entry.lane;
  thought.text = entry.text;
  thought.type = entry.type;
  thought.run = entry.run;
  thought.time = entry.time;
  thought.redacted = entry.redacted;
  thought.damage = entry.damage;
  thought.total = entry.number;
  if (entry.data.empty()) return thought;
  const auto parsed = parse_json(entry.data);
  if (!parsed || !parsed->is_object()) {
    if (!thought.damage) thought.damage = "what belongs to this thought cannot be read";
    return thought;
  }
  const JsonObject& data = parsed->as_object();
  thought.total = find_int(data, "total").value_or(entry.number);
  thought.next_needed = find_bool(data, "next").value_or(true);
  thought.revises = find_int(data, "revises");
  thought.revises_main = find_bool(data, "revisesMain").value_or(false);
  thought.branch_from = find_int(data, "from");
  thought.requested = find_int(data, "requested");
  thought.needs_more = find_bool(data, "needsMore");
  thought.agent_id = find_string(data, "agentId").value_or("");
  thought.agent_name = find_string(data, "agentName").value_or("");
  if (const JsonObject* payload = find_object(data, "payload")) thought.payload = *payload;
  return thought;
}

JsonObject thought_item(const Thought& thought) {
  JsonObject out{{"thoughtNumber", thought.number}, {"thought", to_valid_utf8(thought.text)}, {"thoughtType", thought.type}};
  if (!thought.branch.empty()) out["branchId"] = thought.branch;
  if (thought.branch_from) out["branchFromThought"] = *thought.branch_from;
  if (thought.revises) {
    out["isRevision"] = true;
    out["revisesThought"] = *thought.revises;
  }
  out["totalThoughts"] = thought.total;
  out["nextThoughtNeeded"] = thought.next_needed;
  if (thought.needs_more) out["needsMoreThoughts"] = *thought.needs_more;
  out["timestamp"] = iso8601(thought.time);
  if (!thought.agent_id.empty()) out["agentId"] = thought.agent_id;
  if (!thought.agent_name.empty()) out["agentName"] = thought.agent_name;
  if (!thought.run.empty()) out["runId"] = thought.run;
  for (const auto& member : thought.payload) out.insert(member);
  if (thought.redacted) out["redacted"] = true;
  if (thought.damage) out["damage"] = *thought.damage;
  return out;
}

std::span<const ThoughtType> thought_types() {
  return kTypes;
}

const ThoughtType* find_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &ThoughtType::name);
  return found == kTypes.end() ? nullptr : &*found;
}

bool is_thought_type(std::string_view entry_type) {
  return find_type(entry_type) != nullptr;
}

Result<JsonObject> read_payload(const ThoughtType& type, const JsonObject& arguments) {
  JsonObject payload;
  if (const Json* confidence = find(arguments, "confidence"); confidence && !confidence->is_null()) {
    const auto word = find_string(arguments, "confidence");
    if (!word || std::ranges::find(kConfidence, *word) == kConfidence.end())
      return fail(ErrorKind::invalid, "confidence must be high, medium or low", {}, "invalid_argument");
    payload["confidence"] = *word;
  } else if (type.needs_confidence) {
    return wrong(type, "confidence: high, medium or low");
  }
  if (type.payload.empty()) return payload;
  const Json* given = find(arguments, type.payload);
  if (!given || given->is_null()) return wrong(type, fmt::format("{}", type.payload));
  if (const auto violations = schema_of(type).validate(*given); !violations.empty())
    return wrong(type, fmt::format("a whole {}: {}", type.payload, describe(violations)));
  if (type.payload == "options") {
    const auto selected = std::ranges::count_if(
        given->as_array(), [](const Json& option) { return find_bool(option.as_object(), "selected").value_or(false); });
    if (selected != 1) return wrong(type, fmt::format("exactly one selected option; {} are", selected));
  }
  payload[type.payload] = *given;
  return payload;
}

JsonObject payload_properties() {
  JsonObject properties;
  JsonArray confidence;
  for (const std::string_view word : kConfidence) confidence.emplace_back(word);
  properties["confidence"] = JsonObject{{"enum", std::move(confidence)}};
  for (const ThoughtType& type : kTypes)
    if (!type.payload.empty())
      properties[type.payload] =
          JsonObject{{"type", type.payload == "options" ? "array" : "object"}, {"description", fmt::format("for {}", type.name)}};
  return properties;
}

}  // namespace holdfast::reasoning
