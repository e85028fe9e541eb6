#include "web/pages/reader_page.h"

#include "base/text/uri.h"
#include "operations/sessions/notes.h"
#include "reading/html/html_turns.h"
#include "reading/html/visible_text.h"
#include "session/kinds.h"
#include "web/pages/actions.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::web {

namespace {

constexpr std::size_t kTitleChars = 200;
constexpr std::size_t kNumberChars = 40;  // of what somebody gave as one
constexpr std::string_view kKeys =
    R"([["j k","next and previous prompt"],["n p","next and previous turn"],["e","next error"],["o","open or close everything"]])";

// This page with one thing of its query changed.
std::string here(const PageRequest& request, const Fields& query, std::string_view below = {}) {
  const std::string encoded = query.encode();
  return fmt::format("/sessions/{}{}{}{}", percent_encode(request.parts.front()), below, encoded.empty() ? "" : "?", encoded);
}

// The subagent whose conversation it is, or nobody.
Fields speaker(const PageRequest& request) {
  return Fields().with("agent", request.query.get("agent"));
}

// Which conversation it is, without the place in it. What was opened counts, not what was asked for: a line of another branch
// opens that, and a branch that is none opens the current one.
Fields conversation(const PageRequest& request, const reading::Window& window) {
  return speaker(request)
      .with("branch", window.branch ? std::to_string(*window.branch) : std::string())
      .with("all", request.query.get("all") == "1" ? "1" : "");
}

reading::TurnLinks links_of(const PageRequest& request, const reading::Window& window) {
  reading::TurnLinks links;
  const Fields base = conversation(request, window);
  links.anchor = "L";
  links.image = [=](const reading::Image& image) { return here(request, base.with("ref", image.reference), "/image"); };
  links.whole_record = [=](std::uint64_t line) { return here(request, base.with("line", std::to_string(line)), "/record"); };
  links.saved_file = [=](std::string_view file) { return here(request, base.with("file", file), "/record"); };
  links.subagent = [=](const reading::Subagent& agent) { return here(request, Fields().with("agent", agent.id)); };
  links.fork = [=](const reading::Fork& fork) {
    const std::string line = std::to_string(fork.line);
    return here(request, speaker(request).with("branch", line).with("line", line)) + "#L" + line;
  };
  return links;
}

void write_facts(Html& page, const Subject& subject, const reading::Heading& heading) {
  page.open("p");
  show_kind(page, subject.kind);
  if (subject.is_kept()) {
    page.text(" ");
    show_badge(page, "kept");
  }
  page.text(" ").element("a", "Family tree", {{"href", session_path(subject.id) + "/family"}});
  if (subject.kind == session::kReasoning)
    page.text(" · ").element("a", "Thought graph", {{"href", session_path(subject.id) + "/graph"}});
  page.close();
  page.open("dl", {{"class", "facts"}});
  show_fact(page, "Session", heading.id, "wide");
  if (!heading.project.empty()) show_fact(page, "Project", reading::visible_text(heading.project), "wide");
  if (heading.first_time != 0) show_fact(page, "From", iso8601(heading.first_time));
  if (heading.last_time != 0) show_fact(page, "To", iso8601(heading.last_time));
  for (const auto& [name, value] : heading.details)
    show_fact(page, reading::visible_line(name, kTitleChars), reading::visible_line(value, kTitleChars));
  page.close();
  if (!heading.resume_command.empty())
    show_command(page, heading.resume_command,
                 subject.is_kept() ? "Copy the command that puts it back" : "Copy the resume command");
}

// Remarks of people on this session, and a way to make one.
void write_notes(Html& page, session::Store& store, const PageRequest& request, const Subject& subject) {
  const auto notes = operations::notes_of(store, subject.id);
  const std::string back = here(request, request.query);
  const auto begin_form = [&] {
    open_form(page, request, action_path(subject.id, "note"));
    page.lone("input", {{"type", "hidden"}, {"name", "back"}, {"value", back}});
  };
  page.open("section", {{"class", "notes"}, {"aria-label", "Notes"}});
  for (const Json& each : notes ? *notes : JsonArray()) {
    const JsonObject& note = each.get_object();
    page.open("div", {{"class", "row"}}).element("p", reading::visible_text(text_in(note, "text")), {{"dir", "auto"}});
    page.element("p", fmt::format("{}, {}", text_in(note, "by"), text_in(note, "at")), {{"class", "soft"}});
    begin_form();
    page.lone("input", {{"type", "hidden"}, {"name", "remove"}, {"value", text_in(note, "id")}});
    page.element("button", "Remove the note").close().close();
  }
  page.open("details").element("summary", "Add a note");
  begin_form();
  page.open("label")
      .text("Note ")
      .lone("input", {{"type", "text"}, {"name", "text"}, {"required", ""}, {"maxlength", "4000"}})
      .close();
  page.element("button", "Keep it").close().close().close();
}

void write_subagents(Html& page, const PageRequest& request, const reading::Heading& heading) {
  if (heading.subagents.empty()) return;
  page.open("details").element("summary", counted(static_cast<std::int64_t>(heading.subagents.size()), "subagent", "subagents"));
  page.open("ul");
  for (const reading::Subagent& agent : heading.subagents)
    page.open("li", {{"dir", "auto"}})
        .element("a", reading::visible_line(agent.description.empty() ? agent.id : agent.description, kTitleChars),
                 {{"href", here(request, Fields().with("agent", agent.id))}})
        .text(fmt::format(" {}", reading::visible_line(agent.type, kTitleChars)))
        .close();
  page.close().close();
}

// Which conversation of the transcript this is, when it is not the usual one.
void write_conversation(Html& page, const PageRequest& request, const reading::Window& window) {
  const auto note = [&](std::string_view text, std::string_view link, const Fields& query) {
    page.open("p", {{"class", "notice"}}).text(text).text(" ");
    page.element("a", link, {{"href", here(request, query)}}).close();
  };
  if (!request.query.get("agent").empty()) note("This is the conversation of a subagent.", "Back to the session", Fields());
  if (window.branch) note("This is another branch of the conversation.", "Show the current one", speaker(request));
  if (request.query.get("all") == "1")
    note("Every line is shown, of all branches.", "Show the current branch alone", speaker(request));
}

// Numbers that are none, and places that are not there: the page shows what comes nearest, and says so.
void write_misread(Html& page, const PageRequest& request, const reading::Window& window) {
  const auto say = [&](std::string_view text) { page.element("p", text, {{"class", "notice"}, {"role", "status"}}); };
  for (const std::string_view name : {"line", "before", "branch"}) {
    const std::string_view text = request.query.get(name);
    if (text.empty() || (name == "before" && text == "last")) continue;
    const std::uint64_t number = number_in(request.query, name);
    if (number == 0)
      say(fmt::format("“{}” is not the number of a line.", reading::visible_line(text, kNumberChars)));
    else if (name != "before" && number > window.last_line)
      say(fmt::format("There is no line {}: the session has {}.", number,
                      counted(static_cast<std::int64_t>(window.last_line), "line", "lines")));
  }
}

void write_ways(Html& page, const PageRequest& request, const reading::Window& window, bool above) {
  const Fields base = conversation(request, window);
  page.open("nav", {{"class", "ways"}, {"aria-label", above ? "Earlier" : "Later"}, {"id", above ? "earlier" : "later"}});
  if (above && window.previous) {
    page.element("a", "Beginning", {{"href", here(request, base)}}).text(" ");
    page.element("a", "Earlier",
                 {{"href", here(request, base.with("before", std::to_string(*window.previous)))}, {"rel", "prev"}});
  }
  if (window.next) {
    if (!above)
      page.element("a", "Later", {{"href", here(request, base.with("line", std::to_string(*window.next)))}, {"rel", "next"}})
          .text(" ");
    page.element("a", "End", {{"href", here(request, base.with("before", "last"))}});
  }
  page.close();
}

}  // namespace

std::uint64_t number_in(const Fields& query, std::string_view name) {
  const std::string_view text = query.get(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

Result<OpenedSession> open_session(const Reader& reader, const PageRequest& request) {
  OpenedSession opened;
  HF_TRY(opened.subject, find_subject(reader.store, reader.transcripts, request.principal, request.parts.front()));
  transcripts::ReadingOptions options;
  if (const std::uint64_t branch = number_in(request.query, "branch")) options.branch = branch;
  options.all_branches = request.query.get("all") == "1";
  HF_TRY(opened.reading, catalogue::open(asker_of(reader.store, reader.transcripts, request.principal), *opened.subject.found,
                                         reader.kinds, options, reader.cache.get()));
  if (const std::string_view agent = request.query.get("agent"); !agent.empty() && !opened.subject.record()) {
    HF_TRY(opened.reading, opened.reading->subagent(agent));
  }
  return opened;
}

Result<net::HttpResponse> reader_page(const Reader& reader, const PageRequest& request) {
  HF_TRY(const OpenedSession opened, open_session(reader, request));
  reading::WindowQuery query;
  query.from = number_in(request.query, "line");
  query.before = request.query.get("before") == "last" ? reading::kToTheEnd : number_in(request.query, "before");
  HF_TRY(const reading::Window window, opened.reading->window(query));
  const reading::Heading& heading = opened.reading->heading();
  const std::string title = reading::visible_line(heading.title.empty() ? heading.id : heading.title, kTitleChars);
  Frame frame{title, Section::timeline};
  frame.scripts = {"reader.js"};
  frame.styles = {"turns.css"};
  return show_page(request, frame, [&](Html& page) {
    page.element("h1", title, {{"dir", "auto"}});
    write_facts(page, opened.subject, heading);
    write_notes(page, reader.store, request, opened.subject);
    write_conversation(page, request, window);
    write_misread(page, request, window);
    write_subagents(page, request, heading);
    // When it grows, this part changes, and the script fetches what is new.
    page.open("p",
              {{"id", "news"}, {"class", "soft"}, {"data-live", opened.subject.id}, {"data-own-keys", ""}, {"data-keys", kKeys}});
    page.text(counted(static_cast<std::int64_t>(window.last_line), "line", "lines"));
    if (!opened.subject.record() && request.query.get("all") != "1" && request.query.get("agent").empty())
      page.text(". ").element("a", "Every line", {{"href", here(request, Fields().with("all", "1"))}}).text(", of all branches");
    page.close();
    page.open("p", {{"class", "tools"}});
    page.element("button", "Open all", {{"type", "button"}, {"data-fold", "open"}, {"hidden", ""}}).text(" ");
    page.element("button", "Close all", {{"type", "button"}, {"data-fold", "close"}, {"hidden", ""}}).close();
    write_ways(page, request, window, true);
    page.element("h2", "Conversation", {{"class", "hidden-text"}});
    // A transcript is written by another program, so nobody tells of news: the script looks for them. The branch tells it when
    // the conversation went on another way than the one it shows.
    page.open("div", {{"id", "turns"},
                      {"data-branch", window.branch ? std::to_string(*window.branch) : std::string()},
                      {"data-poll", opened.subject.found->on_disk() ? "" : Html::kLeftOut}});
    const reading::TurnLinks links = links_of(request, window);
    for (const reading::Turn& turn : window.turns) write_turn(page, turn, links);
    if (window.turns.empty()) page.element("p", "There is nothing here to read.", {{"class", "soft"}});
    page.close();
    write_ways(page, request, window, false);
  });
}

}  // namespace holdfast::web
