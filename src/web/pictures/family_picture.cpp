#include "web/pages/shown.h"
#include "web/pictures/picture.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::web {

namespace {

constexpr std::size_t kShortId = 8;

std::string remarks(const transcripts::LineageNode& node, bool is_gone) {
  std::string text = node.session_id.substr(0, kShortId);
  if (!node.method.empty()) text += ", " + node.method;
  if (!node.cloned_at.empty()) text += ", " + node.cloned_at;
  if (node.is_cross_machine.value_or(false)) text += ", from another machine";
  for (const session::LineageEvent& event : node.events) text += ", " + event.how;
  if (is_gone) text += ", no longer here";
  return text;
}

}  // namespace

Picture family_picture(const transcripts::LineageTree& tree, const std::function<std::string(const std::string&)>& title_of) {
  Picture picture;
  picture.name = "Family tree";
  std::set<std::string> drawn;  // a hostile history may have circles
  struct Next {
    std::string id;
    std::size_t depth;
    std::optional<std::size_t> parent;
  };
  // The root, then whatever hangs on none of those drawn.
  std::vector<std::string> roots = {tree.root_session_id};
  for (const auto& [id, node] : tree.nodes) roots.push_back(id);
  for (const std::string& root : roots) {
    std::vector<Next> waiting = {{root, 0, std::nullopt}};
    while (!waiting.empty()) {
      const Next next = std::move(waiting.back());
      waiting.pop_back();
      const auto found = tree.nodes.find(next.id);
      if (found == tree.nodes.end() || !drawn.insert(next.id).second) continue;
      const std::string title = title_of(next.id);
      PictureNode node;
      node.column = next.depth;
      node.label = title.empty() ? found->second.custom_title : title;
      if (node.label.empty()) node.label = "session " + next.id.substr(0, kShortId);
      node.detail = remarks(found->second, title.empty());
      if (!title.empty()) node.link = session_path(next.id);
      node.css_class = next.id == tree.queried_session_id ? "here" : title.empty() ? "gone" : "";
      const std::size_t row = picture.nodes.size();
      picture.nodes.push_back(std::move(node));
      if (next.parent) picture.edges.push_back({*next.parent, row, false});
      const auto& children = found->second.children;
      for (auto child = children.rbegin(); child != children.rend(); ++child) waiting.push_back({*child, next.depth + 1, row});
    }
  }
  return picture;
}

}  // namespace holdfast::web
