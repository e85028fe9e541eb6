#include "web/review/review_show.h"

#include "base/crypto/hash.h"
#include "kinds/documents/text/markup.h"
#include "kinds/documents/text/views.h"
#include "reading/html/line_diff.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

using documents::Atom;
using documents::ChangePart;
using documents::PendingChange;

constexpr std::size_t kContextLines = 3;  // of a folded stretch, at each end

// The words that change, with what stays between them.
void write_parts(Html& page, const PendingChange& change) {
  for (const ChangePart& part : change.parts) {
    switch (part.kind) {
      case ChangePart::Kind::same:
        page.text(part.text);
        break;
      case ChangePart::Kind::removed:
        page.element("del", part.text);
        break;
      case ChangePart::Kind::added:
        page.element("ins", part.text);
        break;
      case ChangePart::Kind::gap:
        page.element("span", "\n…\n", {{"class", "soft"}});
        break;
    }
  }
  if (!change.parts.empty()) return;
  // A proposal has no marks.
  if (!change.del.empty()) page.element("del", change.del);
  if (!change.ins.empty()) page.element("ins", change.ins);
}

void write_text(Html& page, const PendingChange& change) {
  page.open("div", {{"class", "text"}, {"dir", "auto"}});
  if (change.kind == "delete") {
    page.open("p").element("del", "The whole file goes to the trash.").close().open("pre");
    write_parts(page, change);
    page.close();
  } else if (change.kind == "comment") {
    page.open("pre").text(change.before).element("mark", documents::unescape_note(change.ins)).close();
  } else {
    page.open("pre").text(change.before);
    write_parts(page, change);
    page.text(documents::visible_text(change.after).text).close();
  }
  page.close();
}

void verdict_button(Html& page, std::string_view verdict, std::string_view shown, std::string_view css_class,
                    std::string_view label) {
  page.element("button", shown, {{"name", "verdict"}, {"value", verdict}, {"class", css_class}, {"aria-label", label}});
}

void write_forms(Html& page, const PageRequest& request, const PendingChange& change, const Deciding& deciding,
                 const Draft& draft) {
  const auto hidden = [&] {
    page.lone("input", {{"type", "hidden"}, {"name", "id"}, {"value", change.id}});
    page.lone("input", {{"type", "hidden"}, {"name", "path"}, {"value", change.path}});
    page.lone("input", {{"type", "hidden"}, {"name", "view"}, {"value", request.query.get("view")}});
  };
  open_form(page, request, "/review/decide");
  hidden();
  if (is_remark(change)) {
    verdict_button(page, "reject", "Resolve", "main", "Resolve " + change.id);
  } else {
    verdict_button(page, "accept", "Accept", "main", "Accept " + change.id);
    if (deciding.may_commit) verdict_button(page, "commit", "Accept and commit", "main", "Accept and commit " + change.id);
    verdict_button(page, "reject", "Reject", "danger", "Reject " + change.id);
  }
  page.close();
  if (is_remark(change)) return;
  open_form(page, request, "/review/comment");
  hidden();
  page.element(
      "textarea", draft.id == change.id ? std::string_view(draft.text) : std::string_view(),
      {{"name", "note"}, {"rows", "1"}, {"required", ""}, {"aria-label", "Comment on " + change.id}, {"placeholder", "Comment"}});
  page.element("button", "Comment").close();
}

// A row of the two texts beside each other: a line of each, or of one alone.
struct SideRow {
  std::size_t left = 0, right = 0;  // line numbers; 0: none
  std::string_view before, after;
  bool changed = false;
};

// Lines that took each other's place stand in one row.
std::vector<SideRow> rows_of(const std::vector<reading::DiffLine>& lines) {
  std::vector<SideRow> rows;
  std::size_t left = 0, right = 0, open = 0;  // rows from `open` on wait for what came instead
  for (const reading::DiffLine& line : lines) {
    if (line.sign == '-') {
      rows.push_back({++left, 0, line.text, {}, true});
    } else if (line.sign == '+') {
      if (open < rows.size() && rows[open].right == 0) {
        rows[open].right = ++right;
        rows[open++].after = line.text;
      } else {
        rows.push_back({0, ++right, {}, line.text, true});
        open = rows.size();
      }
    } else {
      rows.push_back({++left, ++right, line.text, line.text, false});
      open = rows.size();
    }
  }
  return rows;
}

// A line of one side: its number, and the text as what happened to it.
void write_side(Html& page, std::size_t number, std::string_view text, bool changed, bool is_left) {
  if (number == 0) {
    page.element("td", {}, {{"class", "n filler"}}).element("td", {}, {{"class", "filler"}});
    return;
  }
  const std::string_view css_class = !changed ? Html::kLeftOut : is_left ? "minus" : "plus";
  page.element("td", std::to_string(number), {{"class", "n"}}).open("td", {{"class", css_class}});
  if (!changed)
    page.text(text);
  else if (is_left)
    page.element("del", text);
  else
    page.element("ins", text);
  page.close();
}

void write_row(Html& page, const SideRow& row) {
  page.open("tr");
  write_side(page, row.left, row.before, row.changed, true);
  write_side(page, row.right, row.after, row.changed, false);
  page.close();
}

// Rows [begin, end) are left out of what is shown; empty when the stretch of equal lines at `at` is short.
struct Fold {
  std::size_t begin = 0, end = 0;
};
Fold fold_at(const std::vector<SideRow>& rows, std::size_t at) {
  std::size_t end = at;
  while (end < rows.size() && !rows[end].changed) ++end;
  const std::size_t before = at == 0 ? 0 : kContextLines, after = end == rows.size() ? 0 : kContextLines;
  if (end - at <= before + after + 1) return {end, end};
  return {at + before, end - after};
}

}  // namespace

std::string document_path(std::string_view path, std::string_view view, std::string_view anchor) {
  std::string address = "/review/document?" + Fields().with("path", path).with("view", view).encode();
  if (!anchor.empty()) address += fmt::format("#{}", anchor);
  return address;
}

std::string change_anchor(std::string_view id) {
  return fmt::format("change-{}", id);
}

void show_change(Html& page, const PageRequest& request, const PendingChange& change, const Deciding& deciding,
                 const Draft& draft) {
  page.open("article", {{"class", "change"}, {"id", change_anchor(change.id)}, {"aria-label", "Change " + change.id}});
  page.open("header").element("strong", change.id);
  if (change.kind == "delete")
    page.element("span", documents::shown_kind(change), {{"class", "badge bad"}});
  else
    show_badge(page, documents::shown_kind(change));
  if (change.line > 0) page.element("span", fmt::format("line {}", change.line), {{"class", "soft"}});
  page.element("span", fmt::format("by {}", change.author.empty() ? "unknown" : change.author), {{"class", "soft"}});
  if (change.time) show_age(page, *change.time, request.now);
  if (change.stale) page.element("span", "stale", {{"class", "badge bad"}, {"title", "its document has changed since"}});
  if (change.in_front_matter) show_badge(page, "front matter");
  page.close();
  write_text(page, change);
  if (!change.comments.empty()) {
    page.open("ul", {{"aria-label", "Comments"}});
    for (const std::string& comment : change.comments) page.element("li", documents::unescape_note(comment), {{"dir", "auto"}});
    page.close();
  }
  if (deciding.may_decide) write_forms(page, request, change, deciding, draft);
  page.close();
}

std::string seen_mark(std::span<const documents::PendingChange> changes) {
  Sha256 seen;
  for (const documents::PendingChange& change : changes)
    for (const std::string* part : {&change.id, &change.kind, &change.del, &change.ins})
      seen.add(fmt::format("{}:{}", part->size(), *part));
  return to_hex(seen.finish());
}

void show_verdicts_on_all(Html& page, const PageRequest& request, std::string_view path,
                          std::span<const documents::PendingChange> changes, const Deciding& deciding) {
  open_form(page, request, "/review/decide", "actions");
  page.lone("input", {{"type", "hidden"}, {"name", "path"}, {"value", path}});
  page.lone("input", {{"type", "hidden"}, {"name", "all"}, {"value", "1"}});
  page.lone("input", {{"type", "hidden"}, {"name", "seen"}, {"value", seen_mark(changes)}});
  verdict_button(page, "accept", "Accept all", "main", fmt::format("Accept all changes of {}", path));
  if (deciding.may_commit)
    verdict_button(page, "commit", "Accept all and commit", "main", fmt::format("Accept all changes of {} and commit it", path));
  verdict_button(page, "reject", "Reject all", "danger", fmt::format("Reject all changes of {}", path));
  page.close();
}

void show_marked(Html& page, std::string_view raw, bool goes) {
  page.open("div", {{"class", "document"}, {"dir", "auto"}});
  if (goes) {
    page.element("del", documents::view_of(raw, documents::Side::accepted)).close();
    return;
  }
  for (const Atom& atom : documents::parse_markup(raw)) {
    if (atom.kind == Atom::Kind::plain) {
      page.text(documents::visible_text(raw.substr(atom.begin, atom.end - atom.begin)).text);
      continue;
    }
    page.open("a", {{"href", "#" + change_anchor(atom.id)}, {"class", "marked"}, {"title", atom.author}});
    if (!atom.del.empty()) page.element("del", atom.del);
    if (!atom.ins.empty()) page.element("ins", documents::visible_text(atom.ins).text);
    page.close();
  }
  page.close();
}

void show_sides(Html& page, std::string_view before, std::string_view after, bool whole) {
  const std::vector<SideRow> rows = rows_of(reading::diff_lines(before, after));
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Before and after"}});
  page.open("table", {{"class", "sides"}}).open("thead").open("tr");
  page.open("th", {{"scope", "col"}, {"class", "n"}}).element("span", "Line", {{"class", "hidden-text"}}).close();
  page.element("th", "Before", {{"scope", "col"}});
  page.open("th", {{"scope", "col"}, {"class", "n"}}).element("span", "Line", {{"class", "hidden-text"}}).close();
  page.element("th", "After", {{"scope", "col"}}).close().close().open("tbody");
  for (std::size_t i = 0; i < rows.size();) {
    if (rows[i].changed || whole) {
      write_row(page, rows[i++]);
      continue;
    }
    const Fold fold = fold_at(rows, i);
    for (; i < fold.begin; ++i) write_row(page, rows[i]);
    if (fold.begin == fold.end) continue;
    const std::string folded = counted(static_cast<std::int64_t>(fold.end - fold.begin), "line", "lines");
    page.open("tr", {{"class", "gap"}}).element("td", folded + " the same", {{"colspan", "4"}}).close();
    for (i = fold.end; i < rows.size() && !rows[i].changed; ++i) write_row(page, rows[i]);
  }
  page.close().close().close();
}

}  // namespace holdfast::web
