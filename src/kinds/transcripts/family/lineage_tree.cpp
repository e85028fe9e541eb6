#include "kinds/transcripts/family/lineage.h"
#include "kinds/transcripts/family/lineage_events.h"
#include "kinds/transcripts/home/inventory.h"

#include <algorithm>
#include <deque>
#include <set>

namespace holdfast::transcripts {
namespace {

using session::LineageEvent;

struct Family {
  std::map<std::string, const LineageEvent*> origin;                 // of each copy; the last event about it counts
  std::map<std::string, std::vector<const LineageEvent*>> children;  // of each parent, in the order they are shown
};

Family family_of(const std::vector<LineageEvent>& events) {
  Family family;
  for (const LineageEvent& event : events)
    if (event.how == kFork) family.origin[event.child] = &event;
  for (const LineageEvent& event : events)
    if (is_copy(event)) family.origin[event.child] = &event;
  for (const auto& [child, event] : family.origin) family.children[event->parent].push_back(event);
  for (auto& [parent, children] : family.children)
    std::ranges::sort(children, {},
                      [](const LineageEvent* event) { return std::pair(event->when, std::string_view(event->child)); });
  return family;
}

// What the store says of everyone the session is related to, forks included: each fork may join two of the store's trees.
class LineageGathering {
 public:
  LineageGathering(session::Store* store, const std::vector<NativeFork>& forks) : store_(store) {
    for (const NativeFork& fork : forks) {
      forks_of_.emplace(fork.child, &fork);
      forks_of_.emplace(fork.parent, &fork);
    }
  }

  Result<std::vector<LineageEvent>> run(const std::string& session_id) {
    meet(session_id);
    while (!waiting_.empty() && events_.size() < session::kMaxLineageEvents) {
      const std::string id = std::move(waiting_.front());
      waiting_.pop_front();
      if (store_ && !told_.contains(id)) HF_CHECK(ask_store(id));
      const auto [from, to] = forks_of_.equal_range(id);
      for (auto at = from; at != to; ++at) add(*at->second);
    }
    return std::move(events_);
  }

 private:
  void meet(const std::string& id) {
    if (met_.insert(id).second) waiting_.push_back(id);
  }

  // The store answers with the whole tree, so nobody in it need be asked about again.
  Result<void> ask_store(const std::string& id) {
    HF_TRY(auto events, store_->lineage_tree(id));
    for (LineageEvent& event : events) {
      for (const std::string& named : {event.child, event.parent}) {
        if (named.empty()) continue;
        told_.insert(named);
        meet(named);
      }
      events_.push_back(std::move(event));
    }
    return {};
  }

  void add(const NativeFork& fork) {
    if (!added_.insert(fork.child).second) return;
    LineageEvent event;
    event.child = fork.child;
    event.parent = fork.parent;
    event.how = kFork;
    events_.push_back(std::move(event));
    meet(fork.child);
    meet(fork.parent);
  }

  session::Store* store_;
  std::multimap<std::string, const NativeFork*> forks_of_;  // by child and by parent
  std::deque<std::string> waiting_;
  std::set<std::string> met_, told_, added_;
  std::vector<LineageEvent> events_;
};

// Upwards until there is no parent, or until the history runs in a circle: then the last one not seen before is the root.
std::string root_of(const Family& family, const std::string& session_id) {
  std::set<std::string> seen{session_id};
  std::string root = session_id;
  for (auto at = family.origin.find(root); at != family.origin.end(); at = family.origin.find(root)) {
    if (!seen.insert(at->second->parent).second) break;
    root = at->second->parent;
  }
  return root;
}

std::optional<bool> is_cross_machine(const LineageNode& node) {
  if (node.parent_machine_id.empty() || node.target_machine_id.empty()) return std::nullopt;
  return node.parent_machine_id != node.target_machine_id;
}

void describe_origin(LineageNode& node, const LineageEvent& event) {
  node.parent_id = event.parent;
  if (event.how != kFork) node.cloned_at = copied_at(event);  // the client does not say when
  node.method = event.how;
  node.parent_project_path = detail(event, kParentProject);
  node.parent_machine_id = detail(event, kParentMachine);
  node.target_project_path = detail(event, kTargetProject);
  node.target_machine_id = detail(event, kTargetMachine);
  node.archive_path = detail(event, kArchivePath);
  node.paths_translated = find_bool(event.details, kPathsTranslated);
  node.is_cross_machine = is_cross_machine(node);
}

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

}  // namespace

Result<std::optional<LineageTree>> lineage_tree(session::Store* store, const std::string& session_id,
                                                const std::function<std::string(const std::string&)>& title_of,
                                                const std::vector<NativeFork>& forks) {
  HF_TRY(const auto events, LineageGathering(store, forks).run(session_id));
  if (events.empty()) return std::nullopt;
  const Family family = family_of(events);

  LineageTree tree;
  tree.queried_session_id = session_id;
  tree.root_session_id = root_of(family, session_id);
  struct Waiting {
    std::string id;
    const LineageEvent* origin;
    int depth;
  };
  std::deque<Waiting> waiting{{tree.root_session_id, nullptr, 0}};
  std::set<std::string> seen{tree.root_session_id};
  while (!waiting.empty()) {
    const Waiting next = std::move(waiting.front());
    waiting.pop_front();
    LineageNode& node = tree.nodes[next.id];
    node.session_id = next.id;
    node.depth = next.depth;
    if (next.origin) describe_origin(node, *next.origin);
    const auto children = family.children.find(next.id);
    if (children == family.children.end()) continue;
    for (const LineageEvent* child : children->second) {
      if (!seen.insert(child->child).second) continue;
      node.children.push_back(child->child);
      waiting.push_back({child->child, child, next.depth + 1});
    }
  }

  for (const LineageEvent& event : events) {
    const auto node = tree.nodes.find(event.child);
    if (node == tree.nodes.end()) continue;
    if (const std::string title = detail(event, kTitle); !title.empty()) node->second.custom_title = title;
    if (!is_copy(event) && event.how != kFork) node->second.events.push_back(event);
  }
  // What the files say now is newer than what the store wrote down, as long as there are files.
  for (auto& [id, node] : tree.nodes)
    if (std::string title = title_of ? title_of(id) : std::string(); !title.empty()) node.custom_title = std::move(title);
  return tree;
}

JsonObject to_json(const LineageTree& tree) {
  JsonObject nodes;
  for (const auto& [id, node] : tree.nodes) nodes[id] = to_json(node);
  return {
      {"root_session_id", tree.root_session_id}, {"queried_session_id", tree.queried_session_id}, {"nodes", std::move(nodes)}};
}

}  // namespace holdfast::transcripts
