#include "kinds/transcripts/family/lineage.h"
#include "kinds/transcripts/family/lineage_events.h"
#include "kinds/transcripts/home/kind_counts.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

// Every level indents what is below it: a chain of thousands (made by hand, not by people) would fill pages with blanks.
constexpr int kMaxDrawnDepth = 100;

Json bool_or_null(const std::optional<bool>& value) {
  return value ? Json(*value) : Json(nullptr);
}

JsonObject to_json(const session::LineageEvent& event) {
  JsonObject out{{"how", event.how}, {"at", iso8601(event.when)}};
  for (const auto& [name, value] : event.details) out.insert_or_assign(name, value);
  return out;
}

JsonObject to_json(const LineageNode& node) {
  JsonObject out{{"session_id", node.session_id},
                 {"parent_id", text_or_null(node.parent_id)},
                 {"children", JsonArray(node.children.begin(), node.children.end())},
                 {"depth", node.depth},
                 {"cloned_at", text_or_null(node.cloned_at)},
                 {"method", text_or_null(node.method)},
                 {"parent_project_path", text_or_null(node.parent_project_path)},
                 {"parent_machine_id", text_or_null(node.parent_machine_id)},
                 {"target_project_path", text_or_null(node.target_project_path)},
                 {"target_machine_id", text_or_null(node.target_machine_id)},
                 {"paths_translated", bool_or_null(node.paths_translated)},
                 {"archive_path", text_or_null(node.archive_path)},
                 {"is_cross_machine", bool_or_null(node.is_cross_machine)},
                 {"custom_title", text_or_null(node.custom_title)}};
  if (!node.events.empty()) {
    JsonArray events;
    for (const session::LineageEvent& event : node.events) events.push_back(to_json(event));
    out["events"] = std::move(events);
  }
  return out;
}

void add_line(std::string& out, std::string_view name, std::string_view value) {
  if (!value.empty()) out += fmt::format("{}: {}\n", name, value);
}

std::string event_line(const session::LineageEvent& event) {
  const std::string at = iso8601(event.when);
  if (event.how == "move") {
    return fmt::format("Moved: {} from {} to {}\n", at, detail(event, "source_project_path"), detail(event, kTargetProject));
  }
  if (event.how == "delete") {
    const std::string backup = detail(event, "backup_path");
    return fmt::format("Deleted: {}{}\n", at, backup.empty() ? "" : ", backup " + backup);
  }
  if (event.how == "archive") return fmt::format("Archived: {} to {}\n", at, detail(event, kArchivePath));
  if (event.how == "in-place") return fmt::format("Restored in place: {} from {}\n", at, detail(event, kArchivePath));
  return fmt::format("Event: {} {}\n", event.how, at);
}

std::string drawn_node(const LineageTree& tree, const LineageNode& node) {
  std::string out = node.session_id;
  if (!node.custom_title.empty()) out += fmt::format(" \"{}\"", node.custom_title);
  if (!node.method.empty()) out += fmt::format(" ({}{}{})", node.method, node.cloned_at.empty() ? "" : " ", node.cloned_at);
  if (node.is_cross_machine.value_or(false)) out += fmt::format(" from {}", node.parent_machine_id);
  for (const session::LineageEvent& event : node.events)
    if (event.how == "delete") out += " [deleted]";
  if (node.session_id == tree.queried_session_id) out += " <- this session";
  return out + "\n";
}

}  // namespace

JsonObject to_json(const LineageTree& tree) {
  JsonObject nodes;
  for (const auto& [id, node] : tree.nodes) nodes[id] = to_json(node);
  return {
      {"root_session_id", tree.root_session_id}, {"queried_session_id", tree.queried_session_id}, {"nodes", std::move(nodes)}};
}

std::string lineage_text(const LineageTree& tree) {
  const auto found = tree.nodes.find(tree.queried_session_id);
  if (found == tree.nodes.end()) return {};
  const LineageNode& node = found->second;
  std::string out;
  add_line(out, "Session", node.session_id);
  add_line(out, "Title", node.custom_title);
  add_line(out, "Parent", node.parent_id.empty() ? "none (root)" : node.parent_id);
  add_line(out, "Cloned", node.cloned_at);
  add_line(out, "Method", node.method);
  add_line(out, "Source", node.parent_project_path);
  add_line(out, "Target", node.target_project_path);
  add_line(out, "Machine", node.target_machine_id);
  add_line(out, "Source Machine", node.parent_machine_id);
  add_line(out, "Archive", node.archive_path);
  for (const session::LineageEvent& event : node.events) out += event_line(event);
  if (!node.children.empty()) out += fmt::format("Clones: {}\n", node.children.size());
  for (const std::string& id : node.children) {
    const LineageNode& child = tree.nodes.at(id);
    out += fmt::format("  {} {}{}{}\n", child.session_id, child.method, child.cloned_at.empty() ? "" : " ", child.cloned_at);
  }
  return out;
}

std::string lineage_drawing(const LineageTree& tree) {
  struct Waiting {
    const LineageNode* node;
    std::string indent;  // of its children
    std::string branch;  // in front of itself
  };
  std::string out;
  const auto root = tree.nodes.find(tree.root_session_id);
  if (root == tree.nodes.end()) return out;
  std::vector<Waiting> stack{{&root->second, "", ""}};
  while (!stack.empty()) {
    const Waiting next = std::move(stack.back());
    stack.pop_back();
    out += next.branch + drawn_node(tree, *next.node);
    if (next.node->depth == kMaxDrawnDepth && !next.node->children.empty()) {
      out += next.indent + "└── ...\n";
      continue;
    }
    const auto& children = next.node->children;
    for (std::size_t i = children.size(); i-- > 0;) {
      const bool last = i + 1 == children.size();
      stack.push_back(
          {&tree.nodes.at(children[i]), next.indent + (last ? "    " : "│   "), next.indent + (last ? "└── " : "├── ")});
    }
  }
  return out;
}

}  // namespace holdfast::transcripts
