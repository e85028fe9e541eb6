#include "kinds/documents/text/edit_text.h"

#include "kinds/documents/text/match.h"
#include "kinds/documents/text/numbered_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace holdfast::documents {

namespace {

constexpr std::size_t kShownLines = 20;  // of the places of an ambiguous text

Error text_not_there(std::string_view text, std::string_view wanted, const EditRules& rules) {
  const std::string near = nearby_lines(lines_of(text), wanted);
  const std::string shown = near.empty() ? "" : fmt::format(" The nearest text there is:\n{}", near);
  if (rules.changed_since_read)
    return make_error(ErrorKind::conflict, "the document has changed since you read it, and old_string is not in it any more",
                      "read it again." + shown, "stale");
  return make_error(ErrorKind::not_found, "old_string is not in the document",
                    "copy it from the read result, without line numbers; blanks and line breaks count." + shown, "not_found");
}

Error too_often(std::string_view text, const Matches& matches) {
  std::vector<std::size_t> lines;
  std::size_t line = 1, at = 0;
  for (const Match& match : matches.found) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                text.begin() + static_cast<std::ptrdiff_t>(match.begin), '\n'));
    at = match.begin;
    if (lines.size() < kShownLines) lines.push_back(line);
  }
  return make_error(ErrorKind::ambiguous,
                    fmt::format("old_string occurs {} times (lines {}{})", matches.total, fmt::join(lines, ", "),
                                matches.total > lines.size() ? ", ..." : ""),
                    "add surrounding text to old_string so that it fits once, or set replace_all", "not_unique");
}

// The places meant by an edit, in order and apart from each other.
Result<std::vector<Match>> places(std::string_view text, const TextEdit& edit, const EditRules& rules, Likeness& likeness) {
  if (edit.old_string.empty()) {
    if (text.empty()) return std::vector<Match>{{0, 0}};
    return fail(ErrorKind::invalid, "old_string is empty, and the document is not",
                "name the text to replace; to insert, repeat a piece of text with the addition in new_string", "bad_argument");
  }
  Matches matches = find_matches(text, edit.old_string, edit.replace_all ? Occurrences::apart : Occurrences::overlapping);
  if (matches.total == 0) return fail(text_not_there(text, edit.old_string, rules));
  if (matches.total > 1 && !edit.replace_all) return fail(too_often(text, matches));
  likeness = std::max(likeness, matches.likeness);
  if (matches.total > kMaxReplaced)
    return fail(ErrorKind::too_large,
                fmt::format("old_string occurs {} times; at most {} are replaced at once", matches.total, kMaxReplaced),
                "add surrounding text to old_string", "too_large");
  return std::move(matches.found);
}

// Those of earlier edits of one call are no news.
void note_superseded(EditedText& edited, const std::vector<Superseded>& superseded) {
  for (const Superseded& old : superseded)
    if (std::ranges::find(edited.ids, old.id) == edited.ids.end()) edited.superseded.push_back(old);
}

// Ids of earlier edits of one call of which a later one left nothing.
void forget_gone(EditedText& edited, const AcceptedView& after) {
  std::erase_if(edited.ids, [&](const std::string& id) {
    return std::ranges::none_of(after.atoms(),
                                [&](const Atom& atom) { return atom.kind == Atom::Kind::change && atom.id == id; });
  });
}

Result<void> check_superseded(const std::vector<Superseded>& superseded, const EditRules& rules) {
  if (rules.supersede_any) return {};
  for (const Superseded& old : superseded)
    if (!old.own)
      return fail(
          ErrorKind::refused,
          fmt::format("the edit would replace the pending change {} of {}", old.id, old.author.empty() ? "a person" : old.author),
          "edit around it, or wait until it is decided", "supersede_denied");
  return {};
}

// Which one of several, for who has to mend it.
Error of_edit(Error error, std::size_t index, std::size_t count) {
  return count == 1 ? error : std::move(error).within(fmt::format("edits[{}]", index));
}

// Whether it changed anything; then `edited` has the new text.
Result<bool> edit_once(std::string_view raw, const TextEdit& edit, const Author& author, const EditRules& rules,
                       EditedText& edited) {
  const AcceptedView view(raw);
  Likeness likeness = Likeness::exact;
  HF_TRY(const std::vector<Match> found, places(view.text(), edit, rules, likeness));
  edited.likeness = std::max(edited.likeness, likeness);
  if (edit.old_string == edit.new_string) return false;
  std::vector<Replacement> replacements;
  for (const Match& match : found) replacements.push_back({match.begin, match.end, edit.new_string});
  HF_TRY(Merged merged, merge_edits(view, replacements, author, likeness));
  if (merged.unchanged) return false;
  HF_CHECK(check_superseded(merged.superseded, rules));
  note_superseded(edited, merged.superseded);
  if (!merged.id.empty()) edited.ids.push_back(std::move(merged.id));
  edited.withdrawn += merged.withdrawn;
  edited.unchanged = false;
  edited.raw = std::move(merged.raw);
  edited.lines = std::move(merged.lines);
  edited.accepted = std::move(merged.accepted);
  return true;
}

}  // namespace

Result<EditedText> edit_marked_text(std::string_view raw, const std::vector<TextEdit>& edits, const Author& author,
                                    const EditRules& rules) {
  EditedText edited;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    std::string before = std::move(edited.raw);
    auto done = edit_once(edited.unchanged ? raw : before, edits[i], author, rules, edited);
    if (!done) return fail(of_edit(done.error(), i, edits.size()));
    if (!*done) edited.raw = std::move(before);
  }
  if (edited.unchanged) edited.raw = raw;
  if (edits.size() == 1 || edited.unchanged) return edited;
  // Later edits have moved the places of earlier ones, or taken them.
  const AcceptedView after(edited.raw);
  forget_gone(edited, after);
  edited.lines.clear();
  for (const std::string& id : edited.ids) std::ranges::copy(lines_of_change(after, id), std::back_inserter(edited.lines));
  std::ranges::sort(edited.lines);
  edited.lines.erase(std::ranges::unique(edited.lines).begin(), edited.lines.end());
  return edited;
}

Result<EditedText> edit_plain_text(std::string_view text, const std::vector<TextEdit>& edits, const EditRules& rules) {
  EditedText edited;
  edited.raw = text;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const TextEdit& edit = edits[i];
    const auto found = places(edited.raw, edit, rules, edited.likeness);
    if (!found) return fail(of_edit(found.error(), i, edits.size()));
    if (edit.old_string == edit.new_string) continue;
    std::string after;
    std::size_t copied = 0;
    for (const Match& match : *found) {
      after.append(edited.raw, copied, match.begin - copied);
      after += respelled(edited.raw, match.begin, match.end, edit.new_string, edited.likeness);
      copied = match.end;
    }
    after.append(edited.raw, copied);
    if (after != edited.raw) edited.unchanged = false;
    edited.raw = std::move(after);
  }
  return edited;
}

}  // namespace holdfast::documents
