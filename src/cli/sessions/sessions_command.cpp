// holdfast sessions list|show|resume|export, holdfast brief: what sessions there are, and what is in them.

#include "cli/program/context.h"
#include "cli/sessions/session_text.h"
#include "cli/sessions/session_work.h"
#include "cli/transcripts/transcript_text.h"
#include "kinds/reasoning/read/recover.h"
#include "kinds/runner/run_export.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kEntriesShown = 50;

constexpr std::int64_t kListedSessions = 20, kMostListedSessions = 1000;
constexpr std::array<std::string_view, 4> kLists = {"type", "status", "kind", "visibility"};
constexpr std::array<std::string_view, 2> kFlags = {"completed", "pinned"};
constexpr std::array<std::string_view, 6> kTexts = {"q", "project", "updated_since", "updated_before", "sort", "cursor"};

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

void add_to_list(JsonObject& filters, std::string_view name, std::string_view value) {
  Json& list = filters[name];
  if (!list.is_array()) list = JsonArray{};
  list.as_array().emplace_back(value);
}

// A person says kind for both kinds of session and kinds of threads; which is meant is seen from the word.
void add_kind(JsonObject& filters, std::string_view kind) {
  const bool of_session = std::ranges::any_of(
      session::kKinds, [&](std::string_view known) { return kind == known || kind == std::string(known) + "s"; });
  add_to_list(filters, of_session ? "type" : "kind", kind);
}

void add_flags(const operations::Given& given, JsonObject& filters) {
  for (const std::string_view name : {"type", "status", "visibility"})
    for (const std::string& word : given.texts(name)) add_to_list(filters, name, word);
  for (const std::string& kind : given.texts("kind")) add_kind(filters, kind);
  for (const std::string_view visibility : {"archived", "deleted"})
    if (given.flag(visibility)) add_to_list(filters, "visibility", visibility);
  for (const std::string_view name : kFlags)
    if (given.flag(name)) filters[name] = true;
  for (const auto& [name, option] :
       {std::pair{"q", "q"}, std::pair{"project", "project"}, std::pair{"updated_since", "since"},
        std::pair{"updated_before", "before"}, std::pair{"sort", "sort"}, std::pair{"cursor", "cursor"}})
    if (const std::string value = given.text(option); !value.empty()) filters[name] = value;
}

std::unexpected<Error> bad_word(std::string message) {
  return fail(
      ErrorKind::invalid, std::move(message),
      fmt::format("filters: {}, {}, {}, limit", fmt::join(kLists, ", "), fmt::join(kFlags, ", "), fmt::join(kTexts, ", ")),
      "INVALID_FILTER");
}

Result<void> add_word(const std::string& word, JsonObject& filters, std::int64_t& limit) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return bad_word(fmt::format("{} is not a filter", word));
  std::string name = word.substr(0, equals);
  std::string_view value = std::string_view(word).substr(equals + 1);
  if (name == "search") name = "q";
  if (name == "since" || name == "before") name = "updated_" + name;
  if (is_one_of(name, kFlags)) {
    if (value != "true" && value != "false") return bad_word(fmt::format("{} is true or false", name));
    filters[name] = value == "true";
  } else if (is_one_of(name, kLists)) {
    for (;;) {
      const std::size_t comma = value.find(',');
      const std::string_view part = value.substr(0, comma);
      if (name == "kind")
        add_kind(filters, part);
      else
        add_to_list(filters, name, part);
      if (comma == std::string_view::npos) break;
      value.remove_prefix(comma + 1);
    }
  } else if (is_one_of(name, kTexts)) {
    filters[name] = value;
  } else if (name == "limit") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
    if (error != std::errc{} || end != value.data() + value.size() || limit < 1 || limit > kMostListedSessions)
      return bad_word(fmt::format("limit is a number from 1 to {}", kMostListedSessions));
  } else {
    return bad_word(fmt::format("there is no filter {}", name));
  }
  return {};
}

// Flags (--type research --completed) and words (type=research completed=true) mean the same filters. Errors: invalid (code
// INVALID_FILTER for a word that is no filter).
Result<operations::Given> read_session_filters(const Context& context) {
  JsonObject filters;
  std::int64_t limit = context.given.number("limit", kListedSessions);
  add_flags(context.given, filters);
  for (const std::string& word : context.given.texts("filter")) HF_CHECK(add_word(word, filters, limit));
  filters["limit"] = limit;
  return operations::Given(std::move(filters));
}

void print_entry(const Terminal& terminal, const JsonObject& entry, bool of_run) {
  std::string head = fmt::format("{} {}", find_int(entry, "seq").value_or(0), text_in(entry, "type"));
  if (const auto number = find_int(entry, "number")) head += fmt::format(" {}", *number);
  if (const auto lane = find_string(entry, "lane")) head += fmt::format(" [{}]", harmless(*lane, true));
  print(fmt::format("\n{} {}\n", terminal.bold(head), terminal.soft(text_in(entry, "time"))));
  if (of_run) {
    session::Entry told;
    told.type = text_in(entry, "type");
    if (const Json* data = find(entry, "data")) told.data = to_json(*data);
    if (const std::string note = run_entry_note(told); !note.empty()) print(harmless(note, true) + "\n");
  }
  if (const auto damage = find_string(entry, "damage")) print(fmt::format("damaged: {}\n", harmless(*damage, true)));
  const std::string text = harmless(text_in(entry, "text"), false);
  if (!text.empty()) print(text.ends_with('\n') ? text : text + "\n");
}

void print_record(const Terminal& terminal, const JsonObject& item, Millis now) {
  print(fmt::format("{}\n", terminal.bold(harmless(text_in(item, "title"), true))));
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) print(fmt::format("{} {}\n", terminal.soft(fmt::format("{:<8}", name)), harmless(value, true)));
  };
  line("id", text_in(item, "id"));
  line("kind", text_in(item, "type"));
  line("status", text_in(item, "status") + (find_bool(item, "pinned").value_or(false) ? ", pinned" : ""));
  line("root", text_in(item, "rootUri"));
  line("about", text_in(item, "description"));
  line("tags", fmt::format("{}", fmt::join(texts_in(item, "tags"), ", ")));
  const std::string updated = text_in(item, "updated_at");
  const auto time = parse_time(updated);
  line("updated", time ? fmt::format("{} ({})", updated, session::age(*time, now)) : updated);
  line("entries", std::to_string(find_int(item, "entry_count").value_or(0)));
  if (item.contains("next_action"))
    line("next", fmt::format("{} on {}", text_in(item, "next_action"), text_in(item, "next_action_at")));
  line("damage", text_in(item, "damage"));
}

Result<void> draw_session(SessionWork& work, const Context& context) {
  operations::Given given = context.given;
  const bool svg = given.flag("svg");
  given.set("format", svg ? "svg" : "text");
  HF_TRY(const operations::Facts facts, work.perform("reasoning graph", given));
  if (context.json)
    print_json(facts);
  else
    print(svg ? text_in(facts, "content") : harmless(text_in(facts, "content"), false));
  return {};
}

}  // namespace

Result<void> list_sessions(Context& context) {
  HF_TRY(const operations::Given filters, read_session_filters(context));
  HF_TRY(auto work, SessionWork::begin(context));
  // Nothing has been kept yet: not an error, unless somebody named a store.
  if (auto store = work->store(true); !store && (store.error().kind != ErrorKind::not_found || context.settings.is_set("store")))
    return fail(std::move(store).error());
  HF_TRY(const operations::Facts facts, work->perform("sessions list", filters));
  work->warn(texts_in(facts, "warnings"));
  if (context.json) {
    print_json(facts);
    return {};
  }
  const JsonArray& sessions = *find_array(facts, "sessions");
  if (sessions.empty()) {
    print("no sessions\n");
    return {};
  }
  for (const Json& each : sessions) {
    const auto damage = find_string(each.as_object(), "damage");
    print(harmless(text_in(each.as_object(), "display"), true) + (damage ? "  damaged: " + harmless(*damage, true) : "") + "\n");
  }
  const std::int64_t total = find_int(facts, "total").value_or(0);
  if (total > static_cast<std::int64_t>(sessions.size()))
    print(context.terminal.soft(fmt::format("{} of {}; --limit shows more", sessions.size(), total)) + "\n");
  return {};
}

Result<void> show_session(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  if (context.given.flag("graph") || context.given.flag("svg")) return draw_session(*work, context);
  operations::Given given({{"session", context.given.text("session")}, {"last", context.given.number("limit", kEntriesShown)}});
  HF_TRY(operations::Facts facts, work->perform("sessions get", given));
  const JsonObject& item = *find_object(facts, "session");
  given.set("session", Json(text_in(item, "id")));
  HF_TRY(const operations::Facts noted, work->perform("note", given));
  const JsonArray& notes = *find_array(noted, "notes");
  if (context.json) {
    if (!notes.empty()) facts["notes"] = notes;
    print_json(facts);
    return {};
  }
  print_record(context.terminal, item, work->now());
  print(notes_text(notes));
  if (find_bool(facts, "hasEarlier").value_or(false))
    print(context.terminal.soft("\n(earlier entries are left out; --limit shows more)") + "\n");
  for (const Json& entry : *find_array(facts, "entries"))
    print_entry(context.terminal, entry.as_object(), text_in(item, "type") == session::kRun);
  return {};
}

Result<void> resume_session(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const session::SessionRecord record, work->record());
  context.given.set("session", Json(record.id));
  if (record.kind == session::kRun) return show_task_run(context);
  if (record.kind == session::kReasoning) return print_brief(context);
  if (record.kind != session::kThread && record.kind != session::kResearch) return show_session(context);
  return show_where_it_stands(*work, context, record);
}

Result<void> export_kept_session(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const session::SessionRecord record, work->record());
  operations::Facts facts;
  if (record.kind == session::kRun) {
    const std::string format = context.given.has("format") ? context.given.text("format") : "markdown";
    HF_TRY(session::Store* const store, work->store(true));
    HF_TRY(std::string content, runner::export_report(*store, record.id, format));
    facts = {{"sessionId", record.id}, {"format", format}, {"content", std::move(content)}};
  } else {
    HF_TRY(facts, work->perform_for("export", record, context.given));
  }
  const std::string content = text_in(facts, "content");
  if (context.json)
    print_json(facts);
  else
    print(context.terminal.width > 0 ? harmless(content, false) : content);
  return {};
}

// What somebody who begins anew in this project needs to know.
Result<void> print_brief(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  auto facts = work->perform("reasoning brief", context.given);
  if (!facts && facts.error().code == reasoning::kNoSessions) {
    // For a hook it is the usual case, and no reason to print anything.
    if (context.given.flag("quiet")) return {};
    HF_TRY(const std::string root, work->project_root());
    return fail(ErrorKind::not_found, fmt::format("there is no reasoning session under {}", root),
                "holdfast sessions list shows all there are", std::string(reasoning::kNoSessions));
  }
  if (!facts) return fail(std::move(facts).error());
  if (context.json)
    print_json(*facts);
  else
    print(harmless(text_in(*facts, "brief"), false));
  return {};
}

}  // namespace holdfast::cli
