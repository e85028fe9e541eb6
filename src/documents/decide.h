#pragma once

// Accepting and rejecting changes (document-review §7): what a person decides, put into the document's bytes.
//
// Nothing is tidied: what is kept is kept byte for byte, so that rejecting every change gives back the document as it was before.

#include "documents/markup.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

enum class Verdict { accept, reject };

struct Decided {
  std::string raw;
  std::vector<std::string> applied;  // ids, in document order
  std::vector<std::string> missing;  // ids that are not (or no longer) there
  std::size_t remaining = 0;         // changes still pending
};

// Verdicts by id; ids are those of changes, comments and highlights. A comment is removed and a highlight loses its marks,
// whichever the verdict.
Decided decide(std::string_view raw, const std::map<std::string, Verdict, std::less<>>& verdicts);
// Every change at once; comments and highlights stay.
std::string decide_all(std::string_view raw, Verdict verdict);

// Comments and highlights with their ids: those of their metadata, else derived from their bytes like those of changes.
struct Remark {
  enum class Kind { comment, highlight } kind;
  std::string id, author;
  std::optional<Millis> timestamp;
  std::string_view text;           // the note, or what is marked
  std::size_t begin = 0, end = 0;  // in the raw text
};
std::vector<Remark> find_remarks(std::string_view raw);

}  // namespace holdfast::documents
