#pragma once

// What a name in a link means, and what a LinkMap knows (links.h): for those who change links.

#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/walk.h"
#include "kinds/documents/links/links.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::documents {

// A link need not write it.
inline constexpr std::string_view kImpliedEnding = ".md";

// Which document a name means, seen from another one (document-review §5 `get_links`, resolution).
//
// Nothing here looks at the disk: it is a set of paths, so that what a move will change can be asked before it happens.
// Immutable, thread-safe.
class DocumentNames {
 public:
  // Paths as shown. Folders: their names when the library has several, and every path begins with one of them.
  DocumentNames(std::vector<std::string> paths, std::vector<std::string> folders);

  // Which rule found it: beside the source, from the root, by a name that is unique anywhere.
  enum class How { none, beside, root, name };
  struct Found {
    Meaning meaning;
    How how = How::none;
  };
  Found resolve(std::string_view from, std::string_view target) const;

  const std::vector<std::string>& paths() const { return paths_; }      // bytewise
  const std::vector<std::string>& folders() const { return folders_; }  // empty when there is one
  // "kb/" of "kb/notes/a.md" when there are several folders, else "".
  std::string_view folder_prefix(std::string_view path) const;

 private:
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;  // folded -> of paths_
  bool decide(std::string_view path, How how, Found& found) const;

  std::vector<std::string> paths_, folders_;
  Index by_path_, by_name_;
};

// Names that differ only in case, or in how a character is composed, fold to the same.
std::string folded_name(std::string_view name);
// With its '/': "a/b.md" -> "a/", "b.md" -> "".
std::string_view folder_part(std::string_view path);

struct LinkTarget {
  std::string target;  // decoded
  bool markdown = false;
  auto operator<=>(const LinkTarget&) const = default;
};

// Targets of one document, each once, sorted.
struct DocumentLinks {
  std::vector<LinkTarget> accepted;
  std::vector<LinkTarget> base;  // only when something is pending there
};

struct LinkSource {
  Place place;
  std::shared_ptr<const DocumentLinks> links;
};

struct LinkMapState {
  LinkMapState(std::vector<std::string> paths, std::vector<std::string> folders, std::vector<LinkSource> from);

  DocumentNames names;
  std::vector<LinkSource> sources;  // bytewise by path; only documents that have links
  std::map<std::string, std::vector<std::string>, std::less<>> forward, backward;
};

// Whether links are looked for in it; any file can be linked to.
bool has_links(const Place& place);

}  // namespace holdfast::documents
