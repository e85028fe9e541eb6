// CriticMarkup on hostile bytes: atoms cover the document, the accepted view can be written back, and an edit that is accepted
// changes exactly what it should and is one change. The first two bytes choose where the edit is; what follows the first NUL is
// its new text.

#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/merge.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace holdfast::documents;

void require(bool holds) {
  if (!holds) std::abort();
}

// Of changes that carry one.
std::set<std::string> ids_of(const std::vector<Atom>& atoms) {
  std::set<std::string> ids;
  for (const Atom& atom : atoms)
    if (atom.kind == Atom::Kind::change && atom.has_id) ids.insert(atom.id);
  return ids;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t split = rest.find('\0');
  const std::string raw(rest.substr(0, split));
  const std::string_view new_text = split == std::string_view::npos ? std::string_view() : rest.substr(split + 1);

  const AcceptedView view(raw);
  std::size_t covered = 0;
  for (const Atom& atom : view.atoms()) {
    require(atom.begin == covered && atom.end > atom.begin);
    covered = atom.end;
  }
  require(covered == raw.size());
  require(visible_text(view.rich(0, view.text().size())).text == view.text());
  std::map<std::string, Verdict, std::less<>> verdicts;
  for (const std::string& id : ids_of(view.atoms())) verdicts[id] = Verdict::accept;
  static_cast<void>(decide(raw, verdicts));
  static_cast<void>(find_remarks(raw));

  const std::size_t length = view.text().size();
  std::size_t begin = length == 0 ? 0 : data[0] * length / 255, end = length == 0 ? 0 : data[1] * length / 255;
  if (begin > end) std::swap(begin, end);
  int next = 0;
  Author author;
  author.label = "AI";
  author.make_id = [&next] { return "c_" + std::to_string(++next); };
  const auto merged = merge_edits(view, {{begin, end, std::string(new_text)}}, author);
  if (!merged) return 0;
  require(view_of(merged->raw, Side::base) == view_of(raw, Side::base));
  // One edit is one change to decide, whatever marks it leaves.
  std::set<std::string> ids = ids_of(AcceptedView(merged->raw).atoms());
  for (const std::string& id : ids_of(view.atoms())) ids.erase(id);
  require(ids.size() <= 1);
  return 0;
}
