#pragma once

// Documents by words (document-review §5 `search`): BM25 over the accepted view, all words required, "phrases", titles count
// twice. The index (search/folder) is kept in memory.

#include "kinds/documents/files/library.h"
#include "kinds/documents/workspace/overlay.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::documents {

// Front matter's title, else the first heading, else the file's name without its extension.
struct Title {
  std::string text;
  bool in_text = false;
};
Title title_of(std::string_view text, std::string_view path);

class SearchIndex {
 public:
  SearchIndex();
  ~SearchIndex();
  // The text of the answer: path, title, line and a plain snippet a hit, best first. Thread-safe. Errors: those of the library,
  // cancelled.
  Result<std::string> search(Library& library, const Overlay& overlay, std::string_view query, std::size_t limit,
                             const std::function<bool()>& cancelled);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::documents
