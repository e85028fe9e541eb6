#include "cli/sessions/review_text.h"

#include "base/text/text.h"
#include "kinds/documents/text/markup.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::cli {

namespace {

using documents::ChangePart;
using documents::PendingChange;

constexpr std::size_t kShownSide = 40;  // characters of each side in a list: the rest is what `show` is for

// Text of a document, safe to show. The carriage return of a line end is no character of its own; where a piece was cut it may be
// the last.
std::string text_of(std::string_view text, bool one_line) {
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) kept += text[i];
  return harmless(kept, one_line);
}

std::string author_of(const PendingChange& change) {
  return change.author.empty() ? "unknown" : change.author;
}

std::string age_of(const PendingChange& change, Millis now) {
  return change.time ? session::age(*change.time, now) : "";
}

// Line 0 is the whole document.
std::string place_of(const PendingChange& change) {
  return change.line == 0 ? change.path : fmt::format("{}:{}", change.path, change.line);
}

std::string sides(const PendingChange& change) {
  if (change.kind == "delete") return "the whole file goes to the trash";
  const std::string note = change.kind == "comment" ? documents::unescape_note(change.ins) : change.ins;
  const std::string del = shorten(text_of(change.del, true), kShownSide), ins = shorten(text_of(note, true), kShownSide);
  if (del.empty()) return "+ " + ins;
  if (ins.empty()) return "- " + del;
  return fmt::format("{} -> {}", del, ins);
}

std::string remarks(const PendingChange& change) {
  std::string text;
  if (change.stale) text += ", stale: its document has changed since";
  if (change.in_front_matter) text += ", in the front matter";
  return text;
}

std::string marked(const PendingChange& change, const Terminal& terminal) {
  const auto removed = [&](std::string_view side) { return terminal.red(fmt::format("[-{}-]", text_of(side, false))); };
  const auto added = [&](std::string_view side) { return terminal.green(fmt::format("{{+{}+}}", text_of(side, false))); };
  std::string text;
  for (const ChangePart& part : change.parts) {
    if (part.kind == ChangePart::Kind::removed) text += removed(part.text);
    if (part.kind == ChangePart::Kind::added) text += added(part.text);
    if (part.kind == ChangePart::Kind::same) text += text_of(part.text, false);
    if (part.kind == ChangePart::Kind::gap) text += terminal.soft("\n[…]\n");
  }
  // A proposal has no marks.
  if (change.parts.empty() && !change.del.empty()) text += removed(change.del);
  if (change.parts.empty() && !change.ins.empty()) text += added(change.ins);
  return text;
}

// Red from the first line on, where a file is to go.
std::string head_line(const PendingChange& change, const std::string& when, const Terminal& terminal) {
  const std::string by =
      fmt::format("by {}{}{}", harmless(author_of(change), true), when.empty() ? "" : ", " + when, remarks(change));
  if (change.kind == "delete")
    return fmt::format("{}  {}  {}\n", terminal.bold(change.id),
                       terminal.red(fmt::format("delete file {}", harmless(change.path, true))), terminal.soft(by));
  return fmt::format("{}  {}  {}\n", terminal.bold(change.id), harmless(place_of(change), true),
                     terminal.soft(fmt::format("{} {}", documents::shown_kind(change), by)));
}

// Empty lines stay empty, and none is at the end.
std::string indented_change(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && c != '\n') out += "  ";
    begins = c == '\n';
    out += c;
  }
  return out;
}

// Each of its lines is marked.
std::string quoted_note(std::string_view note, const Terminal& terminal) {
  std::string marked_lines = "> ";
  for (const char c : text_of(note, false)) {
    marked_lines += c;
    if (c == '\n') marked_lines += "> ";
  }
  return indented_change(terminal.soft(marked_lines)) + "\n";
}

// What stands behind a change and its comments, which are shown by themselves. One that was cut ends with the context.
std::string_view behind_comments(std::string_view after) {
  constexpr std::string_view kOpener = "{>>", kCloser = "<<}";
  while (after.starts_with(kOpener)) {
    const std::size_t closer = after.find(kCloser);
    if (closer == std::string_view::npos) return {};
    after.remove_prefix(closer + kCloser.size());
  }
  return after;
}

}  // namespace

std::string changes_table(const std::vector<PendingChange>& changes, Millis now, const Terminal& terminal) {
  Table table({{"ID", false, false},
               {"WHERE", false, false},
               {"KIND", false, false},
               {"AUTHOR", false, false},
               {"AGE", false, false},
               {"CHANGE", false, true}});
  for (const PendingChange& change : changes)
    table.add({change.id, place_of(change), documents::shown_kind(change) + (change.stale ? " (stale)" : ""), author_of(change),
               age_of(change, now), sides(change)});
  return table.text(terminal);
}

std::string change_text(const PendingChange& change, Millis now, const Terminal& terminal) {
  const std::string when = age_of(change, now);
  const std::string_view after = change.comments.empty() ? std::string_view(change.after) : behind_comments(change.after);
  std::string text = head_line(change, when, terminal);
  if (change.kind == "comment")
    text += indented_change(text_of(change.before, false)) + "\n" + quoted_note(documents::unescape_note(change.ins), terminal);
  else if (change.kind == "delete")
    text += indented_change(terminal.red("the whole file goes to the trash") + "\n" + marked(change, terminal)) + "\n";
  else
    text += indented_change(text_of(change.before, false) + marked(change, terminal) + text_of(after, false)) + "\n";
  for (const std::string& comment : change.comments) text += quoted_note(comment, terminal);
  return text;
}

std::string report_text(const JsonObject& facts, bool accepted, const Terminal& terminal) {
  const operations::Given report(facts);
  const std::vector<std::string> applied = report.texts("applied");
  const JsonArray& failed = *find_array(facts, "failed");
  const std::int64_t remaining = report.number("remaining", 0);
  std::string text;
  if (!applied.empty())
    text += fmt::format("{} {}: {}\n", accepted ? "accepted" : "rejected", applied.size(), fmt::join(applied, " "));
  if (applied.empty() && failed.empty()) text += "nothing to decide\n";
  for (const Json& each : failed)
    text += fmt::format("{} {}: {}\n", terminal.red("failed"), text_in(each.as_object(), "id"),
                        harmless(text_in(each.as_object(), "reason"), true));
  for (const std::string& note : report.texts("notes")) text += harmless(note, false) + "\n";
  for (const std::string& commit : report.texts("commits")) text += fmt::format("committed {}\n", commit);
  if (remaining > 0) text += terminal.soft(fmt::format("{} still pending in these documents", remaining)) + "\n";
  return text;
}

}  // namespace holdfast::cli
