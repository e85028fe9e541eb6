#include "kinds/documents/links/link_rewrite.h"

#include "kinds/documents/text/markup.h"
#include "kinds/documents/text/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace holdfast::documents {

namespace {

using How = DocumentNames::How;

std::string_view without_implied(std::string_view path) {
  const bool implied =
      path.size() > kImpliedEnding.size() && folded_name(path.substr(path.size() - kImpliedEnding.size())) == kImpliedEnding;
  return implied ? path.substr(0, path.size() - kImpliedEnding.size()) : path;
}

// From the folder `base` ("" or with a '/' at its end) to a path of the same root.
std::string relative_path(std::string_view base, std::string_view path) {
  while (!base.empty()) {
    const std::size_t slash = base.find('/') + 1;
    if (path.substr(0, slash) != base.substr(0, slash)) break;
    base.remove_prefix(slash);
    path.remove_prefix(slash);
  }
  std::string relative;
  for (auto left = std::ranges::count(base, '/'); left > 0; --left) relative += "../";
  return relative.append(path);
}

// Ways to name a document, the most fitting first.
std::vector<std::string> spellings(std::string_view from, std::string_view root, bool markdown, std::string_view old_target,
                                   How how, std::string_view path) {
  const bool same_root = path.starts_with(root);
  const std::string_view local = same_root ? path.substr(root.size()) : path;
  const std::string name(name_of_path(local)), from_root(local), slash = "/" + from_root;
  std::string beside = same_root ? relative_path(folder_part(from.substr(root.size())), local) : from_root;
  if (old_target.starts_with("./") && !beside.starts_with("../")) beside.insert(0, "./");
  const bool bare = old_target.find('/') == std::string_view::npos;
  if (old_target.starts_with('/')) return {slash, from_root, beside};
  if (bare && (!markdown || how == How::name)) return {name, beside, from_root, slash};
  if (how == How::root) return {from_root, slash, beside};
  return {beside, from_root, slash};
}

// Its ".." lead above the root, seen from a folder: here that means the root, to other programs nothing.
bool leaves_the_root(std::string_view folder, std::string_view target) {
  auto depth = std::ranges::count(folder, '/');
  while (!target.empty()) {
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::string_view segment = target.substr(0, slash);
    target.remove_prefix(std::min(slash + 1, target.size()));
    if (segment == ".." && --depth < 0) return true;
    if (!segment.empty() && segment != "." && segment != "..") ++depth;
  }
  return false;
}

bool spelled_exactly(std::string_view target, std::string_view path) {
  const std::string_view name = name_of_path(path), written = name_of_path(target);
  return written == name || written == without_implied(name);
}

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

std::optional<std::string> encode_target(bool markdown, bool angled, std::string_view written, std::string_view target) {
  std::string encoded;
  if (!markdown) {
    encoded = target;
  } else {
    bool escapes_beyond_ascii = false;
    for (std::size_t at = written.find('%'); at != std::string_view::npos && at + 1 < written.size();
         at = written.find('%', at + 1))
      escapes_beyond_ascii |= std::string_view("89abcdefABCDEF").find(written[at + 1]) != std::string_view::npos;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const auto byte = static_cast<unsigned char>(target[i]);
      const bool scheme_character = target[i] == ':' && target.substr(0, i).find('/') == std::string_view::npos;
      const bool blank = byte <= ' ' && !(angled && byte == ' ');
      const bool character = byte == 0x7F || std::string_view("<>()[]\\%#?`{}\"|^").find(target[i]) != std::string_view::npos;
      if (blank || character || scheme_character || (byte >= 0x80 && escapes_beyond_ascii))
        encoded += fmt::format("%{:02X}", byte);
      else
        encoded += target[i];
    }
  }
  if (find_delimiter(encoded) || encoded.find_first_of("`\\{}") != std::string_view::npos) return std::nullopt;
  const std::string_view opener = !markdown ? "[[" : angled ? "[t](<" : "[t](", closer = !markdown ? "]]" : angled ? ">)" : ")";
  const std::string link = fmt::format("{}{}{}", opener, encoded, closer);
  const std::vector<Link> read = find_links(link);
  if (read.size() != 1 || read[0].target != target) return std::nullopt;
  return encoded;
}

std::string Renaming::of(std::string_view path) const {
  if (path == from) return to;
  if (path.size() > from.size() && path.starts_with(from) && path[from.size()] == '/')
    return to + std::string(path.substr(from.size()));
  return std::string(path);
}

LinkSpelling::Answer LinkSpelling::ask(std::string_view from, bool markdown, std::string_view target) const {
  const DocumentNames::Found old = before_.resolve(from, target);
  if (old.meaning.kind != Meaning::Kind::document) return {};
  const std::string& old_path = old.meaning.path;
  const std::string here = renaming_.of(from), expected = renaming_.of(old_path);
  const auto means_it = [&](std::string_view written, How worst) {
    const DocumentNames::Found now = after_.resolve(here, written);
    return now.meaning.kind == Meaning::Kind::document && now.meaning.path == expected && now.how <= worst;
  };
  // Other programs follow a markdown link by its path alone: it must not live on by the uniqueness of a name.
  const bool lost_its_case = spelled_exactly(target, old_path) && !spelled_exactly(target, expected);
  const std::string_view root = after_.folder_prefix(here);
  const bool concerned = here != from || expected != old_path;
  const bool climbs = concerned && leaves_the_root(folder_part(std::string_view(here).substr(root.size())), target);
  if (means_it(target, markdown ? old.how : How::name) && !lost_its_case && !climbs) return {};

  const bool given = folded_name(name_of_path(target)) == folded_name(name_of_path(old_path));
  if (!given)
    for (std::string& each : spellings(here, root, markdown, target, old.how, without_implied(expected)))
      if (means_it(each, How::name)) return {Answer::Kind::respell, std::move(each)};
  for (std::string& each : spellings(here, root, markdown, target, old.how, expected))
    if (means_it(each, How::name)) return {Answer::Kind::respell, std::move(each)};
  return {Answer::Kind::impossible, {}};
}

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
