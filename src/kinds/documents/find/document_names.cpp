#include "kinds/documents/find/document_names.h"

#include "base/text/text.h"

#include <algorithm>

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

}  // namespace holdfast::documents
