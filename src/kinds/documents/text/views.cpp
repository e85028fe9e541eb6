#include "kinds/documents/text/views.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

std::string_view text_of(const Atom& atom, std::string_view raw, Side side) {
  if (atom.kind == Atom::Kind::plain) return raw.substr(atom.begin, atom.end - atom.begin);
  return side == Side::accepted ? atom.ins : atom.del;
}

std::vector<std::string_view> pieces_of(const std::vector<Atom>& atoms, std::string_view raw, Side side) {
  std::vector<std::string_view> pieces;
  for (const Atom& atom : atoms) add_visible_pieces(pieces, text_of(atom, raw, side));
  return pieces;
}

}  // namespace

std::string view_of(const std::vector<Atom>& atoms, std::string_view raw, Side side) {
  std::string view;
  view.reserve(raw.size());
  for (const std::string_view piece : pieces_of(atoms, raw, side)) view += piece;
  return view;
}

std::string view_of(std::string_view raw, Side side) {
  return view_of(parse_markup(raw), raw, side);
}

bool same_view(const std::vector<Atom>& atoms, std::string_view raw, const std::vector<Atom>& other_atoms,
               std::string_view other_raw, Side side) {
  const auto pieces = pieces_of(atoms, raw, side), others = pieces_of(other_atoms, other_raw, side);
  auto piece = pieces.begin(), other = others.begin();
  std::string_view left, right;
  while (true) {
    if (left.empty() && piece != pieces.end()) left = *piece++;
    if (right.empty() && other != others.end()) right = *other++;
    if (left.empty() || right.empty()) return left.empty() && right.empty();
    const std::size_t bytes = std::min(left.size(), right.size());
    if (left.substr(0, bytes) != right.substr(0, bytes)) return false;
    left.remove_prefix(bytes);
    right.remove_prefix(bytes);
  }
}

AcceptedView::AcceptedView(std::string_view raw) : raw_(raw), atoms_(parse_markup(raw)) {
  text_.reserve(raw.size());
  std::vector<std::string_view> pieces;
  for (const Atom& atom : atoms_) {
    const std::size_t begin = text_.size();
    const std::string_view whole = text_of(atom, raw, Side::accepted);
    pieces.clear();
    add_visible_pieces(pieces, whole);
    const char* seen = whole.data();
    for (const std::string_view piece : pieces) {
      if (piece.data() > seen) hidden_.push_back({text_.size(), {seen, static_cast<std::size_t>(piece.data() - seen)}});
      text_ += piece;
      seen = piece.data() + piece.size();
    }
    const char* const end = whole.data() + whole.size();
    if (end > seen) hidden_.push_back({text_.size(), {seen, static_cast<std::size_t>(end - seen)}});
    placed_.push_back({&atom, begin, text_.size()});
  }
}

std::string AcceptedView::rich(std::size_t begin, std::size_t end) const {
  std::string out;
  append_rich(out, begin, end);
  return out;
}

void AcceptedView::append_rich(std::string& out, std::size_t begin, std::size_t end) const {
  std::size_t copied = begin;
  auto hidden = std::ranges::upper_bound(hidden_, begin, {}, &Hidden::at);
  for (; hidden != hidden_.end() && hidden->at <= end; ++hidden) {
    out.append(text_, copied, hidden->at - copied).append(hidden->raw);
    copied = hidden->at;
  }
  out.append(text_, copied, end - copied);
}

std::size_t AcceptedView::line_of(std::size_t position) const {
  std::size_t line = 1;
  for (std::size_t at = text_.find('\n'); at < position; at = text_.find('\n', at + 1)) ++line;
  return line;
}

}  // namespace holdfast::documents
