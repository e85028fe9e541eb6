#include "documents/views.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

std::string_view text_of(const Atom& atom, std::string_view raw, Side side) {
  if (atom.kind == Atom::Kind::plain) return raw.substr(atom.begin, atom.end - atom.begin);
  return side == Side::accepted ? atom.ins : atom.del;
}

}  // namespace

std::string view_of(const std::vector<Atom>& atoms, std::string_view raw, Side side) {
  std::string view;
  for (const Atom& atom : atoms) view += visible_text(text_of(atom, raw, side)).text;
  return view;
}

std::string view_of(std::string_view raw, Side side) {
  return view_of(parse_markup(raw), raw, side);
}

AcceptedView::AcceptedView(std::string_view raw) : raw_(raw), atoms_(parse_markup(raw)) {
  text_.reserve(raw.size());
  for (const Atom& atom : atoms_) {
    const std::size_t begin = text_.size();
    Visible visible = visible_text(text_of(atom, raw, Side::accepted));
    for (const Hidden& hidden : visible.hidden) hidden_.push_back({begin + hidden.at, hidden.raw});
    text_ += visible.text;
    placed_.push_back({&atom, begin, text_.size()});
  }
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) newlines_.push_back(at);
}

std::string AcceptedView::rich(std::size_t begin, std::size_t end) const {
  std::string out;
  std::size_t copied = begin;
  auto hidden = std::ranges::upper_bound(hidden_, begin, {}, &Hidden::at);
  for (; hidden != hidden_.end() && hidden->at <= end; ++hidden) {
    out.append(text_, copied, hidden->at - copied).append(hidden->raw);
    copied = hidden->at;
  }
  return out.append(text_, copied, end - copied);
}

std::size_t AcceptedView::line_of(std::size_t position) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(newlines_, position) - newlines_.begin()) + 1;
}

}  // namespace holdfast::documents
