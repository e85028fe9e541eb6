#include "documents/pending_change.h"

#include "documents/comment_note.h"
#include "documents/decide.h"
#include "documents/delimiters.h"
#include "documents/views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::documents {

namespace {

// §7: characters of context on each side; a line break costs as much as fifty.
constexpr int kContext = 200;
constexpr int kLineBreakCost = 50;
// §5 `read`: a longer side is shown by its ends.
constexpr std::size_t kShownWords = 10;
constexpr std::size_t kEndWords = 3;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string context_before(std::string_view text, std::size_t at) {
  int left = kContext;
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

std::string context_after(std::string_view text, std::size_t at) {
  int left = kContext;
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

// Adjacent comments form a thread.
std::vector<std::string> thread_at(std::string_view raw, std::size_t at) {
  std::vector<std::string> thread;
  for (const Comment& comment : find_comments(raw.substr(at, thread_end(raw, at) - at)))
    thread.push_back(fmt::format("{}: {}", comment.author.empty() ? "Unknown" : comment.author, unescape_note(comment.note)));
  return thread;
}

std::string_view kind_of(const Atom& atom) {
  if (atom.del.empty()) return "insertion";
  return atom.ins.empty() ? "deletion" : "substitution";
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

std::size_t thread_end(std::string_view raw, std::size_t at) {
  while (opener_at(raw, at) == Block::comment) {
    const std::size_t closer = raw.find(closer_of(Block::comment), at + kDelimiterBytes);
    if (closer == std::string_view::npos) break;
    at = closer + kDelimiterBytes;
  }
  return at;
}

std::string short_age(Millis then, Millis now) {
  const Millis seconds = std::max<Millis>(0, now - then) / 1000;
  struct Unit {
    Millis seconds;
    char sign;
  };
  constexpr std::array kUnits = {Unit{604'800, 'w'}, Unit{86'400, 'd'}, Unit{3600, 'h'}, Unit{60, 'm'}};
  for (const Unit& unit : kUnits)
    if (seconds >= unit.seconds) return fmt::format("{}{}", seconds / unit.seconds, unit.sign);
  return fmt::format("{}s", seconds);
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
  struct Found {
    std::size_t begin;
    PendingChange change;
  };
  std::vector<Found> found;
  for (const Placed& place : view.placed()) {
    const Atom& atom = *place.atom;
    if (atom.kind != Atom::Kind::change) continue;
    PendingChange change;
    change.id = atom.id;
    change.kind = kind_of(atom);
    change.line = static_cast<std::int64_t>(view.line_of(place.begin));
    change.del = visible_text(atom.del).text;
    change.ins = visible_text(atom.ins).text;
    change.author = atom.author;
    change.time = atom.timestamp;
    change.in_front_matter = atom.in_front_matter;
    change.before = context_before(view.text(), place.begin);
    change.after = context_after(view.text(), place.end);
    change.comments = thread_at(raw, atom.end);
    found.push_back({atom.begin, std::move(change)});
  }
  for (const Remark& remark : find_remarks(raw)) {
    PendingChange change;
    const std::size_t at = place_in_view(view, remark.begin);
    change.id = remark.id;
    change.kind = remark.kind == Remark::Kind::comment ? "comment" : "highlight";
    change.line = static_cast<std::int64_t>(view.line_of(at));
    change.ins = remark.text;
    change.author = remark.author;
    change.time = remark.timestamp;
    change.before = context_before(view.text(), at);
    found.push_back({remark.begin, std::move(change)});
  }
  std::ranges::sort(found, {}, &Found::begin);
  std::vector<PendingChange> changes;
  for (Found& each : found) changes.push_back(std::move(each.change));
  return changes;
}

std::string one_line(const PendingChange& change, Millis now) {
  std::string text = change.id;
  if (change.line > 0) text += fmt::format(" L{}", change.line);
  text += ' ';
  if (change.kind == "comment") {
    text += fmt::format("{{>>{}<<}}", shown(change.ins));
  } else if (change.kind == "highlight") {
    text += fmt::format("{{=={}==}}", shown(change.ins));
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
  text += fmt::format(" {} by {}", change.kind, who_and_when(change, now));
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
