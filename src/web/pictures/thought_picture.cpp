#include "web/pages/shown.h"
#include "web/pictures/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::web {

namespace {

using reasoning::Thought;

constexpr std::size_t kFoldFrom = 8;    // a shorter stretch is drawn as it is
constexpr std::size_t kEdgeOfFold = 2;  // of a folded stretch so many thoughts stay at each end

using Key = std::pair<std::string, std::int64_t>;  // chain, number

Key target_of(const Thought& thought) {
  return {thought.revises_main ? std::string() : thought.branch, thought.revises.value_or(0)};
}

// Thoughts in which more happens than one after another.
std::set<Key> landmarks(const reasoning::Graph& graph) {
  std::set<Key> marked;
  for (const Thought& thought : graph.thoughts) {
    if (thought.branch_from) marked.insert({std::string(), *thought.branch_from});
    if (thought.revises) marked.insert(target_of(thought));
    if (thought.branch_from || thought.revises || thought.damage) marked.insert({thought.branch, thought.number});
  }
  return marked;
}

std::string remarks(const Thought& thought) {
  std::string text;
  const auto add = [&](const std::string& remark) { text += (text.empty() ? "" : ", ") + remark; };
  if (thought.type != "reasoning") add(thought.type);
  if (thought.branch_from) add(fmt::format("from {}", *thought.branch_from));
  if (thought.revises) add(fmt::format("revises {}", *thought.revises));
  if (thought.redacted) add("redacted");
  if (thought.damage) add("damaged");
  return text;
}

class Drawing {
 public:
  Drawing(const reasoning::Graph& graph, std::string_view session) : graph_(graph), session_(session) {
    columns_[""] = 0;
    for (const std::string& branch : graph.branches) columns_.emplace(branch, columns_.size());
    picture_.name = "Graph of thoughts";
  }

  void add(const Thought& thought) {
    PictureNode node;
    node.column = columns_[thought.branch];
    const std::string number =
        thought.branch.empty() ? std::to_string(thought.number) : fmt::format("{}:{}", thought.branch, thought.number);
    node.label = number + " " + thought.text;
    node.detail = remarks(thought);
    node.link = session_path(session_, static_cast<std::uint64_t>(thought.seq));
    if (thought.revises) node.css_class = "revises";
    join(thought, place(std::move(node), thought.branch));
    rows_[{thought.branch, thought.number}] = picture_.nodes.size() - 1;
  }

  void add_folded(std::size_t from, std::size_t count) {
    const Thought& first = graph_.thoughts[from];
    PictureNode node;
    node.column = columns_[first.branch];
    node.label = fmt::format("… {} thoughts, {} to {}", count, first.number, graph_.thoughts[from + count - 1].number);
    node.link = session_path(session_, static_cast<std::uint64_t>(first.seq));
    node.css_class = "folded";
    place(std::move(node), first.branch);
  }

  Picture finish() && { return std::move(picture_); }

 private:
  // Puts it under the last one of its chain; false when it is the first.
  bool place(PictureNode node, const std::string& branch) {
    const std::size_t row = picture_.nodes.size();
    picture_.nodes.push_back(std::move(node));
    const auto [above, is_first] = last_.try_emplace(branch, row);
    if (!is_first) picture_.edges.push_back({std::exchange(above->second, row), row, false});
    return !is_first;
  }
  void join(const Thought& thought, bool has_chain) {
    const std::size_t row = picture_.nodes.size() - 1;
    if (!has_chain && thought.branch_from)
      if (const auto origin = rows_.find({"", *thought.branch_from}); origin != rows_.end())
        picture_.edges.push_back({origin->second, row, false});
    if (thought.revises)
      if (const auto target = rows_.find(target_of(thought)); target != rows_.end())
        picture_.edges.push_back({target->second, row, true});
  }

  const reasoning::Graph& graph_;
  std::string_view session_;
  std::map<std::string, std::size_t> columns_, last_;
  std::map<Key, std::size_t> rows_;
  Picture picture_;
};

}  // namespace

Picture thought_picture(const reasoning::Graph& graph, std::string_view session, bool unfolded) {
  const std::set<Key> marked = landmarks(graph);
  const auto is_plain = [&](const Thought& thought) { return !marked.contains({thought.branch, thought.number}); };
  Drawing drawing(graph, session);
  const auto& thoughts = graph.thoughts;
  for (std::size_t i = 0; i < thoughts.size();) {
    std::size_t end = i;
    while (!unfolded && end < thoughts.size() && is_plain(thoughts[end]) && thoughts[end].branch == thoughts[i].branch) ++end;
    if (end - i < kFoldFrom) {
      for (end = std::max(end, i + 1); i < end; ++i) drawing.add(thoughts[i]);
      continue;
    }
    for (std::size_t k = 0; k < kEdgeOfFold; ++k) drawing.add(thoughts[i++]);
    drawing.add_folded(i, end - kEdgeOfFold - i);
    for (i = end - kEdgeOfFold; i < end; ++i) drawing.add(thoughts[i]);
  }
  return std::move(drawing).finish();
}

}  // namespace holdfast::web
