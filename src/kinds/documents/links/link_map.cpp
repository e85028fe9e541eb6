#include "kinds/documents/links/link_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::documents {

namespace {

const DocumentLinks* links_of(const LinkMapState& state, std::string_view path) {
  const auto found = std::ranges::lower_bound(state.sources, path, {},
                                              [](const LinkSource& source) { return std::string_view(source.place.path); });
  return found == state.sources.end() || found->place.path != path ? nullptr : found->links.get();
}

std::vector<std::string> look_up(const std::map<std::string, std::vector<std::string>, std::less<>>& table,
                                 std::string_view path) {
  const auto found = table.find(path);
  return found == table.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> targets_of_kind(const LinkMapState& state, std::string_view path, Meaning::Kind kind) {
  std::vector<std::string> targets;
  const DocumentLinks* links = links_of(state, path);
  if (!links) return targets;
  for (const LinkTarget& link : links->accepted) {
    if (state.names.resolve(path, link.target).meaning.kind != kind) continue;
    if (targets.empty() || targets.back() != link.target) targets.push_back(link.target);
  }
  return targets;
}

void sort_once(std::vector<std::string>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void add_list(std::string& text, std::string_view title, const std::vector<std::string>& list) {
  fmt::format_to(std::back_inserter(text), "{}{}:\n", text.empty() ? "" : "\n", title);
  for (const std::string& each : list) fmt::format_to(std::back_inserter(text), "- {}\n", each);
  if (list.empty()) text += "- (none)\n";
}

}  // namespace

bool has_links(const Place& place) {
  const std::string name = folded_name(name_of_path(place.path));
  return place.reviewed || name.ends_with(".md") || name.ends_with(".markdown");
}

LinkMapState::LinkMapState(std::vector<std::string> paths, std::vector<std::string> folders, std::vector<LinkSource> from)
    : names(std::move(paths), std::move(folders)), sources(std::move(from)) {
  for (const LinkSource& source : sources) {
    std::vector<std::string>& out = forward[source.place.path];
    for (const LinkTarget& link : source.links->accepted) {
      Meaning meaning = names.resolve(source.place.path, link.target).meaning;
      if (meaning.kind == Meaning::Kind::document) out.push_back(std::move(meaning.path));
    }
    sort_once(out);
    for (const std::string& path : out) backward[path].push_back(source.place.path);
  }
}

Meaning LinkMap::resolve(std::string_view from, std::string_view target) const {
  return state_->names.resolve(from, target).meaning;
}
std::vector<std::string> LinkMap::forward(std::string_view path) const {
  return look_up(state_->forward, path);
}
std::vector<std::string> LinkMap::backward(std::string_view path) const {
  return look_up(state_->backward, path);
}
std::vector<std::string> LinkMap::broken(std::string_view path) const {
  return targets_of_kind(*state_, path, Meaning::Kind::broken);
}
std::vector<std::string> LinkMap::ambiguous(std::string_view path) const {
  return targets_of_kind(*state_, path, Meaning::Kind::ambiguous);
}

std::string describe_links(const LinkMap& map, const Place& place) {
  std::string text;
  add_list(text, "Backlinks (documents that link to this one)", map.backward(place.path));
  add_list(text, "Forward links (documents that this one links to)", map.forward(place.path));
  const std::vector<std::string> broken = map.broken(place.path);
  if (!broken.empty()) add_list(text, "Broken links (no document of that name)", broken);
  std::vector<std::string> ambiguous;
  for (const std::string& target : map.ambiguous(place.path))
    ambiguous.push_back(fmt::format("{}: {}", target, fmt::join(map.resolve(place.path, target).candidates, ", ")));
  if (!ambiguous.empty()) add_list(text, "Ambiguous links (several documents of that name)", ambiguous);
  text.pop_back();
  return text;
}

}  // namespace holdfast::documents
