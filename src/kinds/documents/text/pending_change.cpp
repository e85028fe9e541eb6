#include "kinds/documents/text/pending_change.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/delimiters.h"
#include "kinds/documents/text/markup.h"
#include "kinds/documents/text/views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace holdfast::documents {

namespace {

// §7: characters of context on each side; a line break costs as much as fifty.
constexpr int kContext = 200;
constexpr int kLineBreakCost = 50;
// Between two marks that lie far apart, at each end.
constexpr int kBesideGap = 60;
// Of one change; a person who replaces a word everywhere knows by then what it is about.
constexpr std::size_t kShownMarks = 100;
// Of a file that is to go.
constexpr std::size_t kShownFileBytes = 1000;
// Characters of a document's name in an id: two documents of one id are told apart by 16 bits, or by more when that is not
// enough.
constexpr std::size_t kPathHex = 4;
// §5 `read`: a longer side is shown by its ends.
constexpr std::size_t kShownWords = 10;
constexpr std::size_t kEndWords = 3;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string context_before(std::string_view text, std::size_t at, int left = kContext) {
  std::size_t begin = at;
  while (begin > 0) {
    std::size_t previous = begin - 1;
    while (previous > 0 && is_continuation(text[previous])) --previous;
    left -= text[previous] == '\n' ? kLineBreakCost : 1;
    if (left < 0) break;
    begin = previous;
  }
  return std::string(text.substr(begin, at - begin));
}

std::string context_after(std::string_view text, std::size_t at, int left = kContext) {
  std::size_t end = at;
  while (end < text.size()) {
    left -= text[end] == '\n' ? kLineBreakCost : 1;
    if (left < 0) break;
    ++end;
    while (end < text.size() && is_continuation(text[end])) ++end;
  }
  return std::string(text.substr(at, end - at));
}

// Where a position of the document stands in its accepted view; of one inside a deletion, where that stands.
std::size_t place_in_view(const AcceptedView& view, std::size_t position) {
  const std::vector<Placed>& placed = view.placed();
  const auto next = std::ranges::upper_bound(placed, position, {}, [](const Placed& each) { return each.atom->begin; });
  if (next == placed.begin()) return 0;
  const Placed& place = *std::prev(next);
  if (place.atom->kind == Atom::Kind::change) return place.begin;
  const std::string_view before = view.raw().substr(place.atom->begin, position - place.atom->begin);
  return place.begin + visible_text(before).text.size();
}

std::string_view kind_of(const std::vector<const Placed*>& marks) {
  const bool takes = std::ranges::any_of(marks, [](const Placed* each) { return !each->atom->del.empty(); });
  const bool brings = std::ranges::any_of(marks, [](const Placed* each) { return !each->atom->ins.empty(); });
  if (!takes) return "insertion";
  return brings ? "substitution" : "deletion";
}

void add_change_part(PendingChange& change, ChangePart::Kind kind, std::string text) {
  if (text.empty() && kind != ChangePart::Kind::gap) return;
  const std::string_view shown_text = kind == ChangePart::Kind::gap ? std::string_view(" … ") : std::string_view(text);
  if (kind != ChangePart::Kind::added) change.del += shown_text;
  if (kind != ChangePart::Kind::removed) change.ins += shown_text;
  change.parts.push_back({kind, std::move(text)});
}

// What lies between two marks of one change, or its ends.
void add_between(PendingChange& change, std::string_view text, std::size_t from, std::size_t to) {
  std::string whole = context_after(text.substr(0, to), from);
  if (whole.size() == to - from) {
    add_change_part(change, ChangePart::Kind::same, std::move(whole));
    return;
  }
  add_change_part(change, ChangePart::Kind::same, context_after(text, from, kBesideGap));
  add_change_part(change, ChangePart::Kind::gap, "");
  add_change_part(change, ChangePart::Kind::same, context_before(text, to, kBesideGap));
}

PendingChange change_of(const AcceptedView& view, const std::vector<const Placed*>& marks) {
  const Placed &first = *marks.front(), &last = *marks.back();
  PendingChange change;
  change.id = change.mark = first.atom->id;
  change.kind = kind_of(marks);
  change.line = static_cast<std::int64_t>(view.line_of(first.begin));
  change.places = marks.size();
  change.author = first.atom->author;
  change.time = first.atom->timestamp;
  for (std::size_t i = 0; i < std::min(marks.size(), kShownMarks); ++i) {
    if (i > 0) add_between(change, view.text(), marks[i - 1]->end, marks[i]->begin);
    add_change_part(change, ChangePart::Kind::removed, visible_text(marks[i]->atom->del).text);
    add_change_part(change, ChangePart::Kind::added, visible_text(marks[i]->atom->ins).text);
  }
  if (marks.size() > kShownMarks) add_change_part(change, ChangePart::Kind::gap, "");
  for (const Placed* mark : marks) change.in_front_matter = change.in_front_matter || mark->atom->in_front_matter;
  change.before = context_before(view.text(), first.begin);
  change.after = context_after(view.text(), last.end);
  return change;
}

// In one line, by its words.
std::string shown(std::string_view side) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r\n";
  for (std::size_t at = side.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(side.find_first_of(kBlank, at), side.size());
    words.push_back(side.substr(at, end - at));
    at = side.find_first_not_of(kBlank, end);
  }
  if (words.size() > kShownWords) {
    const std::vector<std::string_view> first(words.begin(), words.begin() + kEndWords);
    const std::vector<std::string_view> last(words.end() - kEndWords, words.end());
    return fmt::format("{} ... {}", fmt::join(first, " "), fmt::join(last, " "));
  }
  // Blanks at the ends are part of the change.
  const bool blank_first = !side.empty() && kBlank.contains(side.front());
  const bool blank_last = !side.empty() && kBlank.contains(side.back()) && !words.empty();
  return fmt::format("{}{}{}", blank_first ? " " : "", fmt::join(words, " "), blank_last ? " " : "");
}

std::string who_and_when(const PendingChange& change, Millis now) {
  const std::string author = change.author.empty() ? "Unknown" : change.author;
  return change.time ? fmt::format("{}, {} ago", author, short_age(*change.time, now)) : author;
}

std::string indented(std::string_view text, std::string_view with) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += fmt::format("{}{}\n", with, line);
    if (end == std::string_view::npos || end + 1 == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string short_age(Millis then, Millis now) {
  const Millis seconds = std::max<Millis>(0, now - then) / 1000;
  struct Unit {
    Millis seconds;
    char character;
  };
  constexpr std::array kUnits = {Unit{604'800, 'w'}, Unit{86'400, 'd'}, Unit{3600, 'h'}, Unit{60, 'm'}};
  for (const Unit& unit : kUnits)
    if (seconds >= unit.seconds) return fmt::format("{}{}", seconds / unit.seconds, unit.character);
  return fmt::format("{}s", seconds);
}

bool is_remark(const PendingChange& change) {
  return change.kind == "comment" || change.kind == "highlight";
}

bool has_pending(std::string_view raw) {
  const bool maybe = std::ranges::any_of(kDelimiters, [&](const Delimiters& each) { return raw.contains(each.opener); });
  if (!maybe) return false;
  const std::vector<Atom> atoms = parse_markup(raw);
  return std::ranges::any_of(atoms, [](const Atom& atom) { return atom.kind == Atom::Kind::change; }) ||
         !find_remarks(raw).empty();
}

std::vector<PendingChange> pending_in(std::string_view raw) {
  const AcceptedView view(raw);
  struct MarkedChange {
    std::size_t begin = 0;
    PendingChange change;
  };
  // The marks of one id, in the order in which the first of them stands.
  std::map<std::string_view, std::vector<const Placed*>> marks;
  for (const Placed& place : view.placed())
    if (place.atom->kind == Atom::Kind::change) marks[place.atom->id].push_back(&place);
  std::vector<MarkedChange> found;
  std::map<std::string_view, std::size_t> index_of;
  for (const auto& [id, of_change] : marks) {
    index_of[id] = found.size();
    found.push_back({of_change.front()->atom->begin, change_of(view, of_change)});
  }
  const std::vector<Remark> remarks = find_remarks(raw);
  const std::vector<Belonging> belonging = belongings(view.atoms(), remarks);
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const Remark& remark = remarks[i];
    if (!belonging[i].change.empty())
      found[index_of[belonging[i].change]].change.comments.push_back(
          fmt::format("{}: {}", remark.author.empty() ? "Unknown" : remark.author, unescape_note(remark.text)));
    if (belonging[i].goes_along) continue;
    PendingChange change;
    const std::size_t at = place_in_view(view, remark.begin);
    change.id = change.mark = remark.id;
    change.kind = remark.kind == Remark::Kind::comment ? "comment" : "highlight";
    change.line = static_cast<std::int64_t>(view.line_of(at));
    change.ins = remark.text;
    change.author = remark.author;
    change.time = remark.timestamp;
    change.before = context_before(view.text(), at);
    found.push_back({remark.begin, std::move(change)});
  }
  std::ranges::stable_sort(found, {}, &MarkedChange::begin);
  std::vector<PendingChange> changes;
  for (MarkedChange& each : found) changes.push_back(std::move(each.change));
  return changes;
}

void show_whole_file(std::string_view text, PendingChange& change) {
  const bool is_long = text.size() > kShownFileBytes;
  std::string shown_text(text.substr(0, is_long ? text.find_last_of('\n', kShownFileBytes) + 1 : text.size()));
  if (is_long && shown_text.empty()) shown_text = utf8_prefix(text, kShownFileBytes);
  change.del = shown_text;
  change.parts = {{ChangePart::Kind::removed, std::move(shown_text)}};
  if (is_long) change.parts.push_back({ChangePart::Kind::gap, ""});
}

void name_apart(std::vector<PendingChange>& changes) {
  std::map<std::string_view, std::vector<PendingChange*>> by_mark;
  for (PendingChange& change : changes) by_mark[change.mark].push_back(&change);
  for (auto& [mark, alike] : by_mark) {
    if (alike.size() == 1) continue;
    std::set<std::string> names;
    for (std::size_t length = kPathHex; names.size() < alike.size() && length <= 2 * sizeof(Digest); ++length) {
      names.clear();
      for (PendingChange* change : alike) {
        change->id = fmt::format("{}_{}", mark, to_hex(sha256(change->path)).substr(0, length));
        names.insert(change->id);
      }
    }
  }
}

bool is_named(const PendingChange& change, std::string_view typed) {
  if (typed == change.id || typed == change.mark) return true;
  if (!typed.starts_with(change.mark)) return false;
  typed.remove_prefix(change.mark.size());
  return typed.size() > kPathHex && typed.front() == '_' && to_hex(sha256(change.path)).starts_with(typed.substr(1));
}

std::string shown_kind(const PendingChange& change) {
  if (change.kind == "delete") return "delete file";
  if (change.kind == "create") return "new file";
  if (change.places > 1) return fmt::format("{} in {} places", change.kind, change.places);
  return change.kind;
}

std::string one_line(const PendingChange& change, Millis now) {
  std::string text = change.id;
  if (change.line > 0) text += fmt::format(" L{}", change.line);
  text += ' ';
  if (change.kind == "comment") {
    text += fmt::format("{{>>{}<<}}", shown(change.ins));
  } else if (change.kind == "highlight") {
    text += fmt::format("{{=={}==}}", shown(change.ins));
  } else if (change.kind == "delete") {
    text += fmt::format("proposed to delete the whole file{}", change.stale ? ", stale" : "");
  } else if (change.line == 0) {
    text += fmt::format("proposed {} of the file{}", change.kind, change.stale ? ", stale" : "");
  } else {
    if (!change.del.empty()) text += fmt::format("{{--{}--}}", shown(change.del));
    if (!change.ins.empty()) text += fmt::format("{{++{}++}}", shown(change.ins));
  }
  return text + fmt::format(" ({})", who_and_when(change, now));
}

std::string several_lines(const PendingChange& change, Millis now) {
  std::string text = fmt::format("{} {}", change.id, change.path);
  if (change.line > 0) text += fmt::format(":{}", change.line);
  text += fmt::format(" {} by {}", shown_kind(change), who_and_when(change, now));
  if (change.kind == "delete") text += ", the whole file goes to the trash when a person accepts";
  if (change.stale) text += ", stale: the file has changed since";
  if (change.in_front_matter) text += ", in the front matter: it is not valid YAML until this is decided";
  text += '\n';
  if (!change.del.empty()) text += indented(change.del, "  - ");
  if (!change.ins.empty()) text += indented(change.ins, change.kind == "comment" ? "  # " : "  + ");
  if (!change.before.empty()) text += indented(change.before, "  < ");
  if (!change.after.empty()) text += indented(change.after, "  > ");
  for (const std::string& comment : change.comments) text += indented(comment, "  # ");
  return text;
}

}  // namespace holdfast::documents
