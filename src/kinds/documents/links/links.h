#pragma once

// Links between documents: [[wiki]] and [markdown](path.md), not in code, seen through pending changes (document-review §5
// `get_links`).

#include "kinds/documents/files/library.h"
#include "kinds/documents/workspace/overlay.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct Link {
  enum class Form { wiki, embed, markdown } form = Form::wiki;
  std::size_t begin = 0, end = 0;                // of the whole link, in the text
  std::size_t target_begin = 0, target_end = 0;  // of the part that names the document
  std::string target;                            // decoded, without #anchor and |alias
};
// Of one text; links inside fenced or inline code are none.
std::vector<Link> find_links(std::string_view text);

// What a link means, seen from a document: relative to its folder, then from the root, then a unique name anywhere.
struct Meaning {
  enum class Kind { document, broken, ambiguous } kind = Kind::broken;
  std::string path;
  std::vector<std::string> candidates;  // when ambiguous
};

struct LinkMapState;

// All links of the library at one moment. Cheap to copy; immutable, thread-safe.
class LinkMap {
 public:
  Meaning resolve(std::string_view from, std::string_view target) const;
  std::vector<std::string> forward(std::string_view path) const;  // bytewise, once each
  std::vector<std::string> backward(std::string_view path) const;
  std::vector<std::string> broken(std::string_view path) const;  // targets as written
  std::vector<std::string> ambiguous(std::string_view path) const;

  // For who changes links (link_map.h).
  const LinkMapState& state() const { return *state_; }

 private:
  friend class LinkReader;
  explicit LinkMap(std::shared_ptr<const LinkMapState> state) : state_(std::move(state)) {}
  std::shared_ptr<const LinkMapState> state_;
};

// Makes maps; remembers the links of files that did not change. Thread-safe.
class LinkReader {
 public:
  LinkReader();
  ~LinkReader();
  Result<LinkMap> read(Library& library, const Overlay& overlay, const std::function<bool()>& cancelled);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The text of the tool's answer about one document.
std::string describe_links(const LinkMap& map, const Place& place);

}  // namespace holdfast::documents
