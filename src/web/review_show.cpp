#include "web/review_show.h"

#include "documents/comment_note.h"
#include "documents/markup.h"
#include "web/line_diff.h"
#include "web/shown.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

using documents::Atom;
using documents::PendingChange;

constexpr std::size_t kContextLines = 3;  // of a folded stretch, at each end

void write_text(Html& page, const PendingChange& change) {
  page.open("div", {{"class", "text"}, {"dir", "auto"}});
  if (change.kind == "delete") {
    page.open("p").element("del", "The whole document goes to the trash.").close();
  } else if (change.kind == "comment") {
    page.open("pre").text(change.before).element("mark", documents::unescape_note(change.ins)).close();
  } else {
    page.open("pre").text(change.before);
    if (!change.del.empty()) page.element("del", change.del);
    if (!change.ins.empty()) page.element("ins", change.ins);
    page.text(documents::visible_text(change.after).text).close();
  }
  page.close();
}

void verdict_button(Html& page, std::string_view verdict, std::string_view shown, std::string_view css_class,
                    std::string_view label) {
  page.element("button", shown, {{"name", "verdict"}, {"value", verdict}, {"class", css_class}, {"aria-label", label}});
}

void write_forms(Html& page, const PageRequest& request, const PendingChange& change) {
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
    verdict_button(page, "reject", "Reject", "danger", "Reject " + change.id);
  }
  page.close();
  if (is_remark(change)) return;
  open_form(page, request, "/review/comment");
  hidden();
  page.element(
      "textarea", {},
      {{"name", "note"}, {"rows", "1"}, {"required", ""}, {"aria-label", "Comment on " + change.id}, {"placeholder", "Comment"}});
  page.element("button", "Comment").close();
}

// A line of one side: its number, and the text as what happened to it.
void write_side(Html& page, const std::vector<std::string_view>& lines, std::size_t at, bool changed, bool is_left) {
  if (at == DiffRow::kNone) {
    page.element("td", {}, {{"class", "n filler"}}).element("td", {}, {{"class", "filler"}});
    return;
  }
  const std::string_view css_class = !changed ? Html::kLeftOut : is_left ? "minus" : "plus";
  page.element("td", std::to_string(at + 1), {{"class", "n"}}).open("td", {{"class", css_class}});
  if (!changed)
    page.text(lines[at]);
  else if (is_left)
    page.element("del", lines[at]);
  else
    page.element("ins", lines[at]);
  page.close();
}

// How many rows from here on are to be folded; 0: show this one.
std::size_t foldable(const std::vector<DiffRow>& rows, std::size_t at) {
  std::size_t end = at;
  while (end < rows.size() && !rows[end].changed) ++end;
  const std::size_t before = at == 0 ? 0 : kContextLines, after = end == rows.size() ? 0 : kContextLines;
  const bool is_start = at == 0 || rows[at - 1].changed;
  if (!is_start || end - at <= before + after + 1) return 0;
  return end - at - before - after;
}

}  // namespace

bool is_remark(const PendingChange& change) {
  return change.kind == "comment" || change.kind == "highlight";
}

std::string document_path(std::string_view path, std::string_view view, std::string_view anchor) {
  std::string address = "/review/document?" + Fields().with("path", path).with("view", view).encode();
  if (!anchor.empty()) address += fmt::format("#{}", anchor);
  return address;
}

std::string change_anchor(std::string_view id) {
  return fmt::format("change-{}", id);
}

void show_change(Html& page, const PageRequest& request, const PendingChange& change, bool may_decide) {
  page.open("article", {{"class", "change"}, {"id", change_anchor(change.id)}, {"aria-label", "Change " + change.id}});
  page.open("header").element("strong", change.id);
  show_badge(page, change.kind);
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
  if (may_decide) write_forms(page, request, change);
  page.close();
}

void show_verdicts_on_all(Html& page, const PageRequest& request, std::string_view path) {
  open_form(page, request, "/review/decide", "actions");
  page.lone("input", {{"type", "hidden"}, {"name", "path"}, {"value", path}});
  page.lone("input", {{"type", "hidden"}, {"name", "all"}, {"value", "1"}});
  verdict_button(page, "accept", "Accept all", "main", fmt::format("Accept all changes of {}", path));
  verdict_button(page, "reject", "Reject all", "danger", fmt::format("Reject all changes of {}", path));
  page.close();
}

void show_marked(Html& page, std::string_view raw) {
  page.open("div", {{"class", "document"}, {"dir", "auto"}});
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
  const auto left = split_lines(before), right = split_lines(after);
  const std::vector<DiffRow> rows = compare_lines(left, right);
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Before and after"}});
  page.open("table", {{"class", "sides"}}).open("thead").open("tr");
  page.open("th", {{"scope", "col"}, {"class", "n"}}).element("span", "Line", {{"class", "hidden-text"}}).close();
  page.element("th", "Before", {{"scope", "col"}});
  page.open("th", {{"scope", "col"}, {"class", "n"}}).element("span", "Line", {{"class", "hidden-text"}}).close();
  page.element("th", "After", {{"scope", "col"}}).close().close().open("tbody");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const std::size_t folded = whole ? 0 : foldable(rows, i); folded > 0) {
      // What stays of the stretch before the fold is shown first.
      const std::size_t lead = i == 0 ? 0 : kContextLines;
      for (std::size_t k = 0; k < lead; ++k) {
        page.open("tr");
        write_side(page, left, rows[i + k].left, false, true);
        write_side(page, right, rows[i + k].right, false, false);
        page.close();
      }
      page.open("tr", {{"class", "gap"}})
          .element("td", fmt::format("{} the same", counted(static_cast<std::int64_t>(folded), "line", "lines")),
                   {{"colspan", "4"}})
          .close();
      i += lead + folded - 1;
      continue;
    }
    page.open("tr");
    write_side(page, left, rows[i].left, rows[i].changed, true);
    write_side(page, right, rows[i].right, rows[i].changed, false);
    page.close();
  }
  page.close().close().close();
}

}  // namespace holdfast::web
