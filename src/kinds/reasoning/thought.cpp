#include "kinds/reasoning/thought.h"

#include "base/text/text.h"

namespace holdfast::reasoning {

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

}  // namespace holdfast::reasoning
