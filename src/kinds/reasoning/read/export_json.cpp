#include "kinds/reasoning/read/export_json.h"

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

using Place = std::pair<std::string, std::int64_t>;  // branch, number

std::string node_id(const std::string& session, const Place& place) {
  return place.first.empty() ? session + ":" + std::to_string(place.second)
                             : session + ":" + place.first + ":" + std::to_string(place.second);
}

// Where each thought stands among the others; made in one walk, because a thought points only at older ones.
struct Links {
  std::optional<Place> previous, revised, origin;
  std::vector<Place> next, revised_by;
  int depth = 0;  // 0: an original
  Place chain;    // the original it goes back to
};

std::map<Place, Links> link(const std::vector<Thought>& thoughts) {
  std::map<Place, Links> links;
  std::map<std::string, Place> last;  // of each branch
  for (const Thought& thought : thoughts) {
    const Place here{thought.branch, thought.number};
    Links mine;
    mine.chain = here;
    if (const auto before = last.find(thought.branch); before != last.end()) mine.previous = before->second;
    if (thought.branch_from) mine.origin = mine.previous = Place{"", *thought.branch_from};
    if (thought.revises) {
      mine.revised = Place{thought.revises_main ? "" : thought.branch, *thought.revises};
      // A target that is not there (damaged, imported) makes this one an original of its own.
      if (const auto target = links.find(*mine.revised); target != links.end()) {
        target->second.revised_by.push_back(here);
        mine.depth = target->second.depth + 1;
        mine.chain = target->second.chain;
      }
    }
    if (mine.previous)
      if (const auto before = links.find(*mine.previous); before != links.end()) before->second.next.push_back(here);
    links[here] = std::move(mine);
    last[thought.branch] = here;
  }
  return links;
}

Json id_or_null(const std::string& session, const std::optional<Place>& place) {
  if (!place) return nullptr;
  return Json(node_id(session, *place));
}

}  // namespace

JsonObject session_fields(const session::SessionRecord& record) {
  JsonArray tags;
  for (const std::string& tag : record.tags) tags.emplace_back(tag);
  JsonObject out{{"id", record.id}, {"title", record.title}, {"tags", std::move(tags)}, {"status", record.status}};
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  add("description", record.description);
  add("rootUri", record.root_uri);
  add("project", record.project);
  add("task", record.task);
  add("aspect", record.aspect);
  add("domain", record.domain);
  add("client", record.client);
  out["thoughtCount"] = thought_count(record);
  out["branchCount"] = branches_of(record).size();
  out["totalCount"] = total_count(record);
  out["createdAt"] = iso8601(record.created_at);
  out["updatedAt"] = iso8601(record.updated_at);
  if (record.completed_at) out["completedAt"] = iso8601(*record.completed_at);
  return out;
}

JsonObject json_export(const ExportParts& parts, bool include_metadata) {
  const std::string& session = parts.record.id;
  const std::map<Place, Links> links = link(parts.thoughts);
  JsonArray nodes;
  std::int64_t revisions = 0;
  std::size_t revised = 0;
  int deepest = 0;
  for (const Thought& thought : parts.thoughts) {
    const Links& mine = links.at({thought.branch, thought.number});
    revisions += thought.is_revision() ? 1 : 0;
    revised += mine.revised_by.empty() ? 0 : 1;
    deepest = std::max(deepest, mine.depth);
    JsonArray next, revised_by;
    for (const Place& place : mine.next) next.emplace_back(node_id(session, place));
    for (const Place& place : mine.revised_by) revised_by.emplace_back(place.second);
    nodes.push_back(
        JsonObject{{"id", node_id(session, {thought.branch, thought.number})},
                   {"data", thought_item(thought)},
                   {"prev", id_or_null(session, mine.previous)},
                   {"next", std::move(next)},
                   {"revisesNode", id_or_null(session, mine.revised)},
                   {"branchOrigin", id_or_null(session, mine.origin)},
                   {"branchId", thought.branch.empty() ? Json(nullptr) : Json(thought.branch)},
                   {"revisionMetadata", JsonObject{{"isOriginal", mine.depth == 0},
                                                   {"isRevision", thought.is_revision()},
                                                   {"revisesThought", thought.revises ? Json(*thought.revises) : Json(nullptr)},
                                                   {"revisedBy", std::move(revised_by)},
                                                   {"revisionDepth", mine.depth},
                                                   {"revisionChainId", node_id(session, mine.chain)}}}});
  }
  JsonObject out{{"version", "1.0"}};
  if (include_metadata) out["session"] = session_fields(parts.record);
  out["nodes"] = std::move(nodes);
  out["revisionAnalysis"] =
      JsonObject{{"totalRevisions", revisions}, {"revisedThoughts", revised}, {"maxRevisionDepth", deepest}};
  if (parts.manifest) out["auditManifest"] = *parts.manifest;
  if (parts.references) out["crossReferences"] = *parts.references;
  out["exportedAt"] = iso8601(parts.now);
  return out;
}

}  // namespace holdfast::reasoning
