#include "cli/review_text.h"

#include "base/text.h"
#include "session/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::cli {

namespace {

using documents::PendingChange;

constexpr std::size_t kShownSide = 40;  // characters of each side in a list: the rest is what `show` is for

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
  if (change.kind == "delete") return "the whole document";
  const std::string del = shorten(change.del, kShownSide), ins = shorten(change.ins, kShownSide);
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
  std::string text;
  if (!change.del.empty()) text += terminal.red(fmt::format("[-{}-]", harmless(change.del, false)));
  if (!change.ins.empty()) text += terminal.green(fmt::format("{{+{}+}}", harmless(change.ins, false)));
  return text;
}

JsonArray texts(const std::vector<std::string>& all) {
  JsonArray out;
  for (const std::string& each : all) out.emplace_back(each);
  return out;
}

// Empty lines stay empty, and none is at the end.
std::string indented(std::string_view text) {
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

}  // namespace

std::string changes_table(const std::vector<PendingChange>& changes, Millis now, const Terminal& terminal) {
  Table table({{"ID", false, false},
               {"WHERE", false, false},
               {"KIND", false, false},
               {"AUTHOR", false, false},
               {"AGE", false, false},
               {"CHANGE", false, true}});
  for (const PendingChange& change : changes)
    table.add({change.id, place_of(change), change.kind + (change.stale ? " (stale)" : ""), author_of(change),
               age_of(change, now), sides(change)});
  return table.text(terminal);
}

std::string change_text(const PendingChange& change, Millis now, const Terminal& terminal) {
  const std::string when = age_of(change, now);
  std::string text = fmt::format("{}  {}  {}\n", terminal.bold(change.id), harmless(place_of(change), true),
                                 terminal.soft(fmt::format("{} by {}{}{}", change.kind, harmless(author_of(change), true),
                                                           when.empty() ? "" : ", " + when, remarks(change))));
  if (change.kind == "delete")
    text += indented(terminal.red("the whole document goes to the trash")) + "\n";
  else
    text += indented(harmless(change.before, false) + marked(change, terminal) + harmless(change.after, false)) + "\n";
  for (const std::string& comment : change.comments) text += indented(terminal.soft("> " + harmless(comment, false))) + "\n";
  return text;
}

JsonObject change_json(const PendingChange& change) {
  JsonObject item{{"id", change.id},         {"path", change.path},     {"line", change.line},
                  {"kind", change.kind},     {"del", change.del},       {"ins", change.ins},
                  {"author", change.author}, {"before", change.before}, {"after", change.after}};
  item["time"] = change.time ? Json(iso8601(*change.time)) : Json(nullptr);
  item["in_front_matter"] = change.in_front_matter;
  item["stale"] = change.stale;
  item["comments"] = texts(change.comments);
  return item;
}

std::string report_text(const documents::VerdictReport& report, bool accepted, const Terminal& terminal) {
  std::string text;
  if (!report.applied.empty())
    text += fmt::format("{} {}: {}\n", accepted ? "accepted" : "rejected", report.applied.size(), fmt::join(report.applied, " "));
  if (report.applied.empty() && report.failed.empty()) text += "nothing to decide\n";
  for (const auto& [id, why] : report.failed) text += fmt::format("{} {}: {}\n", terminal.red("failed"), id, harmless(why, true));
  for (const std::string& note : report.notes) text += harmless(note, false) + "\n";
  for (const std::string& commit : report.commits) text += fmt::format("committed {}\n", commit);
  if (report.remaining > 0) text += terminal.soft(fmt::format("{} still pending in these documents", report.remaining)) + "\n";
  return text;
}

JsonObject report_json(const documents::VerdictReport& report) {
  JsonArray failed;
  for (const auto& [id, why] : report.failed) failed.push_back(JsonObject{{"id", id}, {"reason", why}});
  return {{"applied", texts(report.applied)},
          {"failed", std::move(failed)},
          {"remaining", report.remaining},
          {"commits", texts(report.commits)},
          {"notes", texts(report.notes)}};
}

}  // namespace holdfast::cli
