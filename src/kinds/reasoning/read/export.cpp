#include "kinds/reasoning/read/export.h"

#include "base/text/text.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/manifest.h"
#include "kinds/reasoning/read/export_json.h"
#include "kinds/reasoning/read/one_line.h"
#include "kinds/reasoning/thought_types.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

constexpr std::size_t kCipherCharacters = 150;

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
      JsonArray candidates, missing;
      for (const std::string& id : resolved.candidates) candidates.emplace_back(id);
      for (const std::int64_t number : resolved.missing) missing.emplace_back(number);
      if (!candidates.empty()) item["candidates"] = std::move(candidates);
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
