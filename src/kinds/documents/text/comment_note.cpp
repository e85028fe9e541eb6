#include "kinds/documents/text/comment_note.h"

namespace holdfast::documents {

std::string unescape_note(std::string_view note) {
  std::string out;
  for (std::size_t i = 0; i < note.size(); ++i) {
    const char next = i + 1 < note.size() ? note[i + 1] : '\0';
    const bool escape = note[i] == '\\' && (next == 'n' || next == '\\');
    if (escape) ++i;
    out += escape && next == 'n' ? '\n' : note[i];
  }
  return out;
}

}  // namespace holdfast::documents
