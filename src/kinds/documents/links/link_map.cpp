#include "kinds/documents/links/link_map.h"

#include "base/text/text.h"
#include "kinds/documents/files/stamped_files.h"
#include "kinds/documents/links/links.h"
#include "kinds/documents/text/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace holdfast::documents {

namespace {

// "a/./b//../c" below `base` (which ends with '/' or is empty): a ".." above the root stays there.
std::string join_clamped(std::string_view base, std::string_view target) {
  std::string path(base);
  while (!target.empty()) {
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::string_view segment = target.substr(0, slash);
    target.remove_prefix(std::min(slash + 1, target.size()));
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") {
      if (!path.empty()) path.pop_back();
      path.resize(folder_part(path).size());
    } else {
      path.append(segment).push_back('/');
    }
  }
  if (!path.empty()) path.pop_back();
  return path;
}

}  // namespace

std::string folded_name(std::string_view name) {
  const bool ascii = std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return ascii ? to_ascii_lower(name) : fold_case(name);
}

std::string_view folder_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

DocumentNames::DocumentNames(std::vector<std::string> paths, std::vector<std::string> folders)
    : paths_(std::move(paths)), folders_(std::move(folders)) {
  std::ranges::sort(paths_);
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    std::string folded = folded_name(paths_[i]);
    by_name_[std::string(name_of_path(folded))].push_back(i);
    by_path_[std::move(folded)].push_back(i);
  }
}

std::string_view DocumentNames::folder_prefix(std::string_view path) const {
  for (const std::string& folder : folders_)
    if (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/')
      return path.substr(0, folder.size() + 1);
  return {};
}

// Of several that differ in case alone the one spelled exactly so is meant.
bool DocumentNames::decide(std::string_view path, How how, Found& found) const {
  const Index& index = how == How::name ? by_name_ : by_path_;
  const auto entry = index.find(folded_name(path));
  if (entry == index.end()) return false;
  found.how = how;
  std::vector<std::string_view> exact, all;
  for (const std::size_t i : entry->second) {
    all.push_back(paths_[i]);
    if ((how == How::name ? name_of_path(paths_[i]) : std::string_view(paths_[i])) == path) exact.push_back(paths_[i]);
  }
  if (all.size() > 1 && exact.size() == 1) all = exact;
  found.meaning.kind = all.size() == 1 ? Meaning::Kind::document : Meaning::Kind::ambiguous;
  if (all.size() == 1)
    found.meaning.path = all.front();
  else
    found.meaning.candidates.assign(all.begin(), all.end());
  return true;
}

DocumentNames::Found DocumentNames::resolve(std::string_view from, std::string_view target) const {
  Found found;
  const std::string_view root = folder_prefix(from);
  const auto try_path = [&](std::string_view prefix, std::string_view base, How how) {
    const std::string path = std::string(prefix) + join_clamped(base, target);
    return decide(path, how, found) || decide(path + std::string(kImpliedEnding), how, found);
  };
  const bool from_root = target.starts_with('/');
  if (!from_root && try_path(root, folder_part(from.substr(root.size())), How::beside)) return found;
  if (try_path(root, "", How::root)) return found;
  if (!root.empty() && try_path("", "", How::root)) return found;
  if (target.find('/') != std::string_view::npos || target == "." || target == "..") return found;
  if (decide(target, How::name, found)) return found;
  decide(std::string(target) + std::string(kImpliedEnding), How::name, found);
  return found;
}

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

namespace {

std::vector<LinkTarget> targets_of(std::string_view text) {
  std::vector<LinkTarget> targets;
  for (Link& link : find_links(text)) targets.push_back({std::move(link.target), link.form == Link::Form::markdown});
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

std::shared_ptr<const DocumentLinks> read_links(ViewReader& reader, const WalkedFile& file, bool&) {
  auto links = std::make_shared<DocumentLinks>();
  if (!has_links(file.place) || reader.read(file.place, View::accepted) != ViewReader::Outcome::text) return links;
  links->accepted = targets_of(reader.text());
  if (file.place.reviewed && may_hold_markup(reader.raw())) links->base = targets_of(view_of(reader.raw(), Side::base));
  return links;
}

}  // namespace

struct LinkReader::State {
  std::mutex mutex;
  StampedFiles<DocumentLinks> files;
  std::shared_ptr<const LinkMapState> last;
};

LinkReader::LinkReader() : state_(std::make_unique<State>()) {}
LinkReader::~LinkReader() = default;

Result<LinkMap> LinkReader::read(Library& library, const Overlay& overlay, const std::function<bool()>& cancelled) {
  WalkOptions walking;
  walking.cancelled = cancelled;
  std::lock_guard lock(state_->mutex);
  HF_TRY(const std::vector<WalkedFile> files, walk(library, walking));
  HF_TRY(const auto updated, state_->files.update(library, overlay, files, read_links, cancelled));
  if (updated.changed || !state_->last) {
    std::vector<std::string> paths, folders;
    std::vector<LinkSource> sources;
    for (std::size_t i = 0; i < files.size(); ++i) {
      paths.push_back(files[i].place.path);
      const auto& links = updated.known[i];
      if (links && (!links->accepted.empty() || !links->base.empty())) sources.push_back({files[i].place, links});
    }
    const auto& settings = library.settings();
    if (settings.names_folders())
      for (const LibraryFolder& folder : settings.folders) folders.push_back(folder.name);
    state_->last = std::make_shared<const LinkMapState>(std::move(paths), std::move(folders), std::move(sources));
  }
  return LinkMap(state_->last);
}

}  // namespace holdfast::documents
