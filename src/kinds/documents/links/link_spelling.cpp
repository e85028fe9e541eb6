#include "kinds/documents/links/link_spelling.h"

#include "kinds/documents/text/markup.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::documents {

namespace {

using How = DocumentNames::How;

std::string_view without_implied(std::string_view path) {
  const bool implied =
      path.size() > kImpliedEnding.size() && folded_name(path.substr(path.size() - kImpliedEnding.size())) == kImpliedEnding;
  return implied ? path.substr(0, path.size() - kImpliedEnding.size()) : path;
}

// From the folder `base` ("" or with a '/' at its end) to a path of the same root.
std::string relative_path(std::string_view base, std::string_view path) {
  while (!base.empty()) {
    const std::size_t slash = base.find('/') + 1;
    if (path.substr(0, slash) != base.substr(0, slash)) break;
    base.remove_prefix(slash);
    path.remove_prefix(slash);
  }
  std::string relative;
  for (auto left = std::ranges::count(base, '/'); left > 0; --left) relative += "../";
  return relative.append(path);
}

// Ways to name a document, the most fitting first.
std::vector<std::string> spellings(std::string_view from, std::string_view root, bool markdown, std::string_view old_target,
                                   How how, std::string_view path) {
  const bool same_root = path.starts_with(root);
  const std::string_view local = same_root ? path.substr(root.size()) : path;
  const std::string name(name_of_path(local)), from_root(local), slash = "/" + from_root;
  std::string beside = same_root ? relative_path(folder_part(from.substr(root.size())), local) : from_root;
  if (old_target.starts_with("./") && !beside.starts_with("../")) beside.insert(0, "./");
  const bool bare = old_target.find('/') == std::string_view::npos;
  if (old_target.starts_with('/')) return {slash, from_root, beside};
  if (bare && (!markdown || how == How::name)) return {name, beside, from_root, slash};
  if (how == How::root) return {from_root, slash, beside};
  return {beside, from_root, slash};
}

// Its ".." lead above the root, seen from a folder: here that means the root, to other programs nothing.
bool leaves_the_root(std::string_view folder, std::string_view target) {
  auto depth = std::ranges::count(folder, '/');
  while (!target.empty()) {
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::string_view segment = target.substr(0, slash);
    target.remove_prefix(std::min(slash + 1, target.size()));
    if (segment == ".." && --depth < 0) return true;
    if (!segment.empty() && segment != "." && segment != "..") ++depth;
  }
  return false;
}

bool spelled_exactly(std::string_view target, std::string_view path) {
  const std::string_view name = name_of_path(path), written = name_of_path(target);
  return written == name || written == without_implied(name);
}

}  // namespace

std::string Renaming::of(std::string_view path) const {
  if (path == from) return to;
  if (path.size() > from.size() && path.starts_with(from) && path[from.size()] == '/')
    return to + std::string(path.substr(from.size()));
  return std::string(path);
}

LinkSpelling::Answer LinkSpelling::ask(std::string_view from, bool markdown, std::string_view target) const {
  const DocumentNames::Found old = before_.resolve(from, target);
  if (old.meaning.kind != Meaning::Kind::document) return {};
  const std::string& old_path = old.meaning.path;
  const std::string here = renaming_.of(from), expected = renaming_.of(old_path);
  const auto means_it = [&](std::string_view written, How worst) {
    const DocumentNames::Found now = after_.resolve(here, written);
    return now.meaning.kind == Meaning::Kind::document && now.meaning.path == expected && now.how <= worst;
  };
  // Other programs follow a markdown link by its path alone: it must not live on by the uniqueness of a name.
  const bool lost_its_case = spelled_exactly(target, old_path) && !spelled_exactly(target, expected);
  const std::string_view root = after_.folder_prefix(here);
  const bool concerned = here != from || expected != old_path;
  const bool climbs = concerned && leaves_the_root(folder_part(std::string_view(here).substr(root.size())), target);
  if (means_it(target, markdown ? old.how : How::name) && !lost_its_case && !climbs) return {};

  const bool given = folded_name(name_of_path(target)) == folded_name(name_of_path(old_path));
  if (!given)
    for (std::string& each : spellings(here, root, markdown, target, old.how, without_implied(expected)))
      if (means_it(each, How::name)) return {Answer::Kind::respell, std::move(each)};
  for (std::string& each : spellings(here, root, markdown, target, old.how, expected))
    if (means_it(each, How::name)) return {Answer::Kind::respell, std::move(each)};
  return {Answer::Kind::impossible, {}};
}

std::optional<std::string> encode_target(bool markdown, bool angled, std::string_view written, std::string_view target) {
  std::string encoded;
  if (!markdown) {
    encoded = target;
  } else {
    bool escapes_beyond_ascii = false;
    for (std::size_t at = written.find('%'); at != std::string_view::npos && at + 1 < written.size();
         at = written.find('%', at + 1))
      escapes_beyond_ascii |= std::string_view("89abcdefABCDEF").find(written[at + 1]) != std::string_view::npos;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const auto byte = static_cast<unsigned char>(target[i]);
      const bool ends_scheme = target[i] == ':' && target.substr(0, i).find('/') == std::string_view::npos;
      const bool blank = byte <= ' ' && !(angled && byte == ' ');
      const bool special = byte == 0x7F || std::string_view("<>()[]\\%#?`{}\"|^").find(target[i]) != std::string_view::npos;
      if (blank || special || ends_scheme || (byte >= 0x80 && escapes_beyond_ascii))
        encoded += fmt::format("%{:02X}", byte);
      else
        encoded += target[i];
    }
  }
  if (find_delimiter(encoded) || encoded.find_first_of("`\\{}") != std::string_view::npos) return std::nullopt;
  const std::string_view opener = !markdown ? "[[" : angled ? "[t](<" : "[t](", closer = !markdown ? "]]" : angled ? ">)" : ")";
  const std::string link = fmt::format("{}{}{}", opener, encoded, closer);
  const std::vector<Link> read = find_links(link);
  if (read.size() != 1 || read[0].target != target) return std::nullopt;
  return encoded;
}

}  // namespace holdfast::documents
