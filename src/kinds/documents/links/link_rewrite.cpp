#include "kinds/documents/links/link_rewrite.h"

#include "kinds/documents/text/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace holdfast::documents {

namespace {

// A part of a view that stands in the document as it is.
struct Piece {
  std::size_t begin = 0, end = 0;  // in the view
  std::size_t raw = 0;             // where it begins in the document
  bool plain = false;              // both views have it
};

struct MappedView {
  std::string text;
  std::vector<Piece> pieces;
  std::vector<Link> links;
};

MappedView map_view(std::string_view raw, const std::vector<Atom>& atoms, Side side) {
  MappedView view;
  for (const Atom& atom : atoms) {
    const bool plain = atom.kind == Atom::Kind::plain;
    std::string_view rest = plain ? raw.substr(atom.begin, atom.end - atom.begin) : side == Side::accepted ? atom.ins : atom.del;
    const auto add = [&](std::size_t bytes) {
      if (bytes == 0) return;
      const std::size_t begin = view.text.size();
      view.text.append(rest.substr(0, bytes));
      view.pieces.push_back({begin, view.text.size(), static_cast<std::size_t>(rest.data() - raw.data()), plain});
      rest.remove_prefix(bytes);
    };
    for (const Hidden& hidden : visible_text(rest).hidden) {
      add(static_cast<std::size_t>(hidden.raw.data() - rest.data()));
      rest.remove_prefix(hidden.raw.size());
    }
    add(rest.size());
  }
  view.links = find_links(view.text);
  return view;
}

struct Target {
  std::size_t begin = 0, end = 0;  // in the document
  bool plain = false;
};

// Nothing when it is spread over several pieces.
std::optional<Target> target_in_document(const MappedView& view, const Link& link) {
  auto piece = std::ranges::upper_bound(view.pieces, link.target_begin, {}, &Piece::begin);
  if (piece == view.pieces.begin()) return std::nullopt;
  --piece;
  if (link.target_end > piece->end) return std::nullopt;
  const std::size_t begin = piece->raw + (link.target_begin - piece->begin);
  return Target{begin, begin + (link.target_end - link.target_begin), piece->plain};
}

struct Rewriter {
  std::string_view raw, path;
  const LinkSpelling& spelling;

  struct Change {
    std::size_t end = 0;
    std::string text;
  };
  std::map<std::size_t, Change> changes;  // by where they begin
  std::set<std::size_t> left[2];          // links of each view, by number

  // Plain text is changed only where both views see the same link.
  void plan(const MappedView& view, const MappedView& other, std::set<std::size_t>& left_here) {
    std::map<std::size_t, std::size_t> others;  // begin and end of targets in the document
    for (const Link& link : other.links)
      if (const auto target = target_in_document(other, link)) others[target->begin] = target->end;
    for (std::size_t i = 0; i < view.links.size(); ++i) {
      const Link& link = view.links[i];
      const bool markdown = link.form == Link::Form::markdown;
      const LinkSpelling::Answer answer = spelling.ask(path, markdown, link.target);
      if (answer.kind == LinkSpelling::Answer::Kind::keep) continue;
      const auto target = target_in_document(view, link);
      std::optional<std::string> written;
      if (target && answer.kind == LinkSpelling::Answer::Kind::respell)
        written = encode_target(markdown, view.text[link.target_begin - 1] == '<',
                                std::string_view(view.text).substr(link.target_begin, link.target_end - link.target_begin),
                                answer.target);
      const auto same = target ? others.find(target->begin) : others.end();
      const bool in_both = same != others.end() && same->second == target->end;
      if (!written || (target->plain && !in_both))
        left_here.insert(i);
      else
        changes[target->begin] = {target->end, *std::move(written)};
    }
  }

  std::string apply() const {
    std::string made;
    std::size_t copied = 0;
    for (const auto& [begin, change] : changes) {
      made.append(raw.substr(copied, begin - copied)).append(change.text);
      copied = change.end;
    }
    return made.append(raw.substr(copied));
  }

  bool says_the_same(const MappedView& old_view, const MappedView& new_view, const std::set<std::size_t>& except) const {
    if (old_view.links.size() != new_view.links.size()) return false;
    const std::string here = spelling.renaming().of(path);
    for (std::size_t i = 0; i < old_view.links.size(); ++i) {
      const Meaning before = spelling.before().resolve(path, old_view.links[i].target).meaning;
      if (before.kind != Meaning::Kind::document || except.contains(i)) continue;
      const Meaning after = spelling.after().resolve(here, new_view.links[i].target).meaning;
      if (after.kind != Meaning::Kind::document || after.path != spelling.renaming().of(before.path)) return false;
    }
    return true;
  }
};

std::vector<Atom> atoms_of(std::string_view raw, bool carries_markup) {
  if (carries_markup) return parse_markup(raw);
  Atom whole;
  whole.end = raw.size();
  return {whole};
}

}  // namespace

Result<RewrittenLinks> rewrite_links(std::string_view raw, bool carries_markup, std::string_view path,
                                     const LinkSpelling& spelling) {
  const std::vector<Atom> atoms = atoms_of(raw, carries_markup);
  const MappedView accepted = map_view(raw, atoms, Side::accepted), base = map_view(raw, atoms, Side::base);
  Rewriter rewriter{raw, path, spelling, {}, {}};
  rewriter.plan(accepted, base, rewriter.left[0]);
  rewriter.plan(base, accepted, rewriter.left[1]);

  RewrittenLinks made;
  made.raw = rewriter.apply();
  made.rewritten = rewriter.changes.size();
  // Where nothing is pending both views leave the same ones.
  const bool pending = std::ranges::any_of(atoms, [](const Atom& atom) { return atom.kind == Atom::Kind::change; });
  made.left = rewriter.left[0].size() + (pending ? rewriter.left[1].size() : 0);

  const std::vector<Atom> new_atoms = atoms_of(made.raw, carries_markup);
  const bool right = new_atoms.size() == atoms.size() &&
                     rewriter.says_the_same(accepted, map_view(made.raw, new_atoms, Side::accepted), rewriter.left[0]) &&
                     rewriter.says_the_same(base, map_view(made.raw, new_atoms, Side::base), rewriter.left[1]);
  if (!right)
    return fail(ErrorKind::internal,
                fmt::format("the links of \"{}\" could not be rewritten without changing what they mean", path),
                "Nothing was written. Move something smaller, or change the links of that document first.", "would_corrupt");
  return made;
}

}  // namespace holdfast::documents
