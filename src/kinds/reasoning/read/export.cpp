#include "kinds/reasoning/read/export.h"

#include "base/text/text.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/manifest.h"
#include "kinds/reasoning/read/title.h"
#include "kinds/reasoning/thought.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

constexpr std::size_t kCipherCharacters = 150;

struct ExportParts {
  const session::SessionRecord& record;
  const std::vector<Thought>& thoughts;  // in the order they were written
  std::optional<JsonObject> manifest;
  std::optional<JsonArray> references;
  Millis now = 0;
};

JsonArray references_in(session::Reader& reader, const session::SessionRecord& record, const std::vector<Thought>& thoughts) {
  JsonArray out;
  auto resolver = AnchorResolver::make(reader, record);
  for (const Thought& thought : thoughts) {
    for (const Anchor& anchor : find_anchors(thought.text)) {
      ResolvedAnchor resolved;
      if (resolver) resolved = resolver->resolve(reader, anchor);
      JsonObject item{{"anchor", anchor.text}, {"thoughtNumber", thought.number}, {"status", name_of(resolved.status)}};
      if (!thought.branch.empty()) item["branchId"] = thought.branch;
      if (!resolver) item["problem"] = resolver.error().message;
      if (resolved.status != ResolvedAnchor::Status::unresolved) {
        item["via"] = resolved.via;
        item["confidence"] = resolved.confidence;
      }
      if (!resolved.session_id.empty()) {
        item["sessionId"] = resolved.session_id;
        item["title"] = resolved.title;
      }
      JsonArray missing;
      for (const std::int64_t number : resolved.missing) missing.emplace_back(number);
      if (!resolved.candidates.empty()) item["candidates"] = to_json_array(resolved.candidates);
      if (!missing.empty()) item["missing"] = std::move(missing);
      out.push_back(std::move(item));
    }
  }
  return out;
}

std::string heading_of(const Thought& thought) {
  std::string text = fmt::format("### {}", thought.number);
  if (thought.type != kDefaultType) text += fmt::format(" · {}", thought.type);
  if (thought.revises) text += fmt::format(" · revises {}{}", *thought.revises, thought.revises_main ? " of the main chain" : "");
  if (!thought.agent_name.empty() || !thought.agent_id.empty())
    text += fmt::format(" · {}", one_line(thought.agent_name.empty() ? thought.agent_id : thought.agent_name));
  return text;
}

void append_thought_markdown(std::string& out, const Thought& thought) {
  out += heading_of(thought) + "\n\n" + to_valid_utf8(thought.text);
  if (!out.ends_with('\n')) out += '\n';
  if (!thought.payload.empty()) out += fmt::format("\n```json\n{}\n```\n", to_json_pretty(thought.payload));
  if (thought.damage) out += fmt::format("\n> damaged: {}\n", *thought.damage);
  out += '\n';
}

std::string markdown(const ExportParts& parts, bool include_metadata) {
  const session::SessionRecord& record = parts.record;
  std::string out = fmt::format("# {}\n\n", one_line(session::shown_title(record)));
  if (include_metadata) {
    out += fmt::format("- session: `{}`\n- status: {}\n- thoughts: {} ({} on the main chain)\n", record.id, record.status,
                       total_count(record), thought_count(record));
    if (!record.root_uri.empty()) out += fmt::format("- root: {}\n", record.root_uri);
    if (!record.tags.empty()) out += fmt::format("- tags: {}\n", fmt::join(record.tags, ", "));
    out += fmt::format("- created: {}\n- updated: {}\n\n", iso8601(record.created_at), iso8601(record.updated_at));
    if (!record.description.empty()) out += to_valid_utf8(record.description) + "\n\n";
  }
  out += "## Main chain\n\n";
  std::vector<std::string> branches;
  for (const Thought& thought : parts.thoughts) {
    if (thought.branch.empty()) append_thought_markdown(out, thought);
    if (!thought.branch.empty() && std::ranges::find(branches, thought.branch) == branches.end())
      branches.push_back(thought.branch);
  }
  for (const std::string& branch : branches) {
    bool first = true;
    for (const Thought& thought : parts.thoughts) {
      if (thought.branch != branch) continue;
      if (first) out += fmt::format("## Branch {} (from {})\n\n", one_line(branch), thought.branch_from.value_or(0));
      first = false;
      append_thought_markdown(out, thought);
    }
  }
  if (parts.manifest && include_metadata) out += fmt::format("## Audit\n\n```json\n{}\n```\n\n", to_json_pretty(*parts.manifest));
  if (parts.references && !parts.references->empty()) {
    out += "## References\n\n";
    for (const Json& reference : *parts.references) out += fmt::format("- `{}`\n", to_json(reference));
  }
  return out;
}

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

JsonObject session_fields(const session::SessionRecord& record) {
  JsonObject out{{"id", record.id}, {"title", record.title}, {"tags", to_json_array(record.tags)}, {"status", record.status}};
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

// [n/total] B:branch R2 D text
std::string cipher(const ExportParts& parts, bool include_metadata) {
  std::string out;
  if (include_metadata) out += fmt::format("# {} {}\n", parts.record.id, one_line(session::shown_title(parts.record)));
  for (const Thought& thought : parts.thoughts) {
    out += fmt::format("[{}/{}]", thought.number, thought.total);
    if (!thought.branch.empty()) out += fmt::format(" B:{}", one_line(thought.branch));
    if (thought.revises) out += fmt::format(" R{}", *thought.revises);
    const ThoughtType* type = find_type(thought.type);
    out += fmt::format(" {} {}\n", type ? type->marker : 'T', shorten(one_line(thought.text), kCipherCharacters));
  }
  if (parts.references)
    for (const Json& reference : *parts.references) out += fmt::format("ref {}\n", to_json(reference));
  return out;
}

}  // namespace

Result<std::string> export_session(session::Reader& reader, const session::SessionRecord& record, const ExportOptions& options,
                                   Millis now) {
  if (options.format != "markdown" && options.format != "json" && options.format != "cipher")
    return fail(ErrorKind::invalid, fmt::format("there is no export format {}", options.format), "markdown, json or cipher",
                "invalid_argument");
  std::vector<Thought> thoughts;
  ManifestBuilder audit;
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    audit.add(thought);
    thoughts.push_back(std::move(thought));
    return true;
  }));
  HF_TRY(JsonObject manifest, shown_manifest(reader, record, audit, now));
  ExportParts parts{record, thoughts, std::move(manifest), std::nullopt, now};
  if (options.resolve_anchors) parts.references = references_in(reader, record, thoughts);
  if (options.format == "json") return to_json(json_export(parts, options.include_metadata));
  return options.format == "markdown" ? markdown(parts, options.include_metadata) : cipher(parts, options.include_metadata);
}

}  // namespace holdfast::reasoning
