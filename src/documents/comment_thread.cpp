#include "documents/comment_thread.h"

#include "documents/decide.h"

#include <algorithm>

namespace holdfast::documents {

std::string unescape_note(std::string_view note) {
  std::string out;
  for (std::size_t i = 0; i < note.size(); ++i) {
    const char next = i + 1 < note.size() ? note[i + 1] : '\0';
    if (note[i] != '\\' || (next != 'n' && next != '\\')) {
      out += note[i];
      continue;
    }
    out += next == 'n' ? '\n' : '\\';
    ++i;
  }
  return out;
}

std::vector<std::string> comments_behind(std::string_view raw, std::string_view change_id) {
  const std::vector<Atom> atoms = parse_markup(raw);
  const auto atom =
      std::ranges::find_if(atoms, [&](const Atom& each) { return each.kind == Atom::Kind::change && each.id == change_id; });
  if (atom == atoms.end()) return {};
  std::vector<Remark> thread;
  std::size_t end = atom->end;
  for (const Remark& remark : find_remarks(raw)) {
    if (remark.kind != Remark::Kind::comment || remark.begin != end) continue;
    thread.push_back(remark);
    end = remark.end;
  }
  std::stable_sort(thread.begin(), thread.end(),
                   [](const Remark& a, const Remark& b) { return a.timestamp.value_or(0) < b.timestamp.value_or(0); });
  std::vector<std::string> texts;
  for (const Remark& remark : thread)
    texts.push_back((remark.author.empty() ? "" : remark.author + ": ") + unescape_note(remark.text));
  return texts;
}

}  // namespace holdfast::documents
