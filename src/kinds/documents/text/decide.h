#pragma once

// Accepting and rejecting changes (document-review §7): what a person decides, put into the document's bytes.
//
// Nothing is tidied: what is kept is kept byte for byte, so that rejecting every change gives back the document as it was before.

#include "kinds/documents/text/markup.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

enum class Verdict { accept, reject };

// What happens to comments that people have made about a change when it is decided: they have had their answer, or (when a model
// takes its change back) nobody has given it.
enum class Notes { go, stay };

struct Decided {
  std::string raw;
  std::vector<std::string> applied;  // ids, in document order
  std::vector<std::string> missing;  // ids that are not (or no longer) there
  std::size_t remaining = 0;         // changes still pending
};

// Verdicts by id; ids are those of changes, comments and highlights. A change is decided with all its marks. A comment is removed
// and a highlight loses its marks, whichever the verdict.
Decided decide(std::string_view raw, const std::map<std::string, Verdict, std::less<>>& verdicts, Notes notes = Notes::go);

// To which change a comment belongs.
struct Belonging {
  std::string_view change;  // the change it is about, else the one directly behind which it stands; empty: none
  bool goes_along = false;  // it was made about a change, and goes with the decision
};
// One for each remark; views into the ids of the atoms.
std::vector<Belonging> belongings(const std::vector<Atom>& atoms, const std::vector<Remark>& remarks);
// Behind the comments that stand directly at this place of the document.
std::size_t thread_end(const std::vector<Remark>& remarks, std::size_t at);

}  // namespace holdfast::documents
