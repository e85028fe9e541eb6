// holdfast sessions list|show.

#include "catalogue/list.h"
#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "cli/sessions/session_filters.h"
#include "cli/sessions/session_text.h"
#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/reasoning/read/graph.h"
#include "operations/sessions/notes.h"
#include "operations/sessions/session_item.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kEntriesShown = 50;

void print_entry(const Terminal& terminal, const session::Entry& entry, std::string_view note) {
  std::string head = fmt::format("{} {}", entry.seq, entry.type);
  if (entry.number != 0) head += fmt::format(" {}", entry.number);
  if (!entry.lane.empty()) head += fmt::format(" [{}]", harmless(entry.lane, true));
  print(fmt::format("\n{} {}\n", terminal.bold(head), terminal.soft(iso8601(entry.time))));
  if (!note.empty()) print(harmless(note, true) + "\n");
  if (entry.damage) print(fmt::format("damaged: {}\n", harmless(*entry.damage, true)));
  const std::string text = harmless(entry.text, false);
  if (!text.empty()) print(text.ends_with('\n') ? text : text + "\n");
}

void print_record(const Terminal& terminal, const session::SessionRecord& record, Millis now,
                  const session::RetentionPolicy& policy) {
  print(fmt::format("{}\n", terminal.bold(harmless(session::shown_title(record), true))));
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) print(fmt::format("{} {}\n", terminal.soft(fmt::format("{:<8}", name)), harmless(value, true)));
  };
  line("id", record.id);
  line("kind", record.kind);
  line("status", session::shown_status(record) + (record.pinned ? ", pinned" : ""));
  line("root", record.root_uri);
  line("about", record.description);
  std::string tags;
  for (const std::string& tag : record.tags) tags += (tags.empty() ? "" : ", ") + tag;
  line("tags", tags);
  line("updated", fmt::format("{} ({})", iso8601(record.updated_at), session::age(record.updated_at, now)));
  line("entries", std::to_string(record.entry_count()));
  if (auto next = session::next_step(record, policy))
    line("next", fmt::format("{} on {}", name_of(next->step), iso8601(next->due)));
  if (record.damage) line("damage", *record.damage);
}

Result<void> draw_session(const Context& context, session::Store& store, const session::SessionRecord& record) {
  if (record.kind != session::kReasoning)
    return fail(ErrorKind::invalid,
                fmt::format("{} is a {} session; only reasoning sessions can be drawn", record.id, record.kind));
  HF_TRY(const reasoning::Graph graph, reasoning::read_graph(store, record));
  const std::string drawn = context.given.flag("svg") ? reasoning::graph_svg(graph, session::shown_title(record))
                                                      : reasoning::graph_text(graph, context.terminal.width);
  if (context.json)
    print_json(JsonObject{{"sessionId", record.id}, {"format", context.given.flag("svg") ? "svg" : "text"}, {"content", drawn}});
  else
    print(context.given.flag("svg") ? drawn : harmless(drawn, false));
  return {};
}

}  // namespace

Result<void> list_sessions(Context& context) {
  HF_TRY(const session::Query query, read_session_filters(context));
  HF_TRY(auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  auto store = context.open_store(true);
  // Nothing has been kept yet: not an error, unless somebody named a store.
  if (!store && (store.error().kind != ErrorKind::not_found || context.settings.is_set("store")))
    return fail(std::move(store).error());
  catalogue::Asker asker = work->asker();
  asker.store = [&store]() -> Result<session::Store*> { return store ? store->get() : nullptr; };
  HF_TRY(const catalogue::Page page, catalogue::list(asker, {query}));
  work->warn(page.warnings());
  const Millis now = context.clock->now();
  const session::RetentionPolicy policy = retention_policy(context.settings);
  if (context.json) {
    JsonArray sessions;
    for (const catalogue::Listed& each : page.items) sessions.push_back(operations::session_item(each.record, now, policy));
    const std::size_t count = sessions.size();
    JsonObject state{
        {"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
    if (!page.next_cursor.empty()) state["next_cursor"] = page.next_cursor;
    print_json(state);
    return {};
  }
  if (page.items.empty()) {
    print("no sessions\n");
    return {};
  }
  for (const auto& [found, record, line] : page.items)
    print(harmless(find_string(operations::session_item(record, now, policy), "display").value_or(""), true) +
          (record.damage ? "  damaged: " + harmless(*record.damage, true) : "") + "\n");
  if (page.total > static_cast<std::int64_t>(page.items.size()))
    print(context.terminal.soft(fmt::format("{} of {}; --limit shows more", page.items.size(), page.total)) + "\n");
  return {};
}

Result<void> show_session(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  HF_TRY(const auto found, work->named());
  if (!found.record())
    return fail(ErrorKind::invalid, fmt::format("{} is a transcript", found.id()),
                fmt::format("holdfast info {} shows it", found.id()));
  const session::SessionRecord& record = *found.record();
  HF_TRY(session::Store* const store, work->homes_keeper().store_to_read());
  if (context.given.flag("graph") || context.given.flag("svg")) return draw_session(context, *store, record);
  session::EntryQuery query;
  query.session = record.id;
  query.direction = session::Direction::backward;
  query.limit = static_cast<std::size_t>(context.given.number("limit", kEntriesShown));
  HF_TRY(session::EntryPage page, store->entries(query));
  std::ranges::reverse(page.entries);
  const Millis now = context.clock->now();
  const session::RetentionPolicy policy = retention_policy(context.settings);
  HF_TRY(JsonArray notes, operations::notes_of(*store, record.id));
  if (context.json) {
    JsonArray entries;
    for (const session::Entry& entry : page.entries) entries.push_back(operations::entry_item(entry));
    JsonObject state{{"session", operations::session_item(record, now, policy)},
                     {"entries", std::move(entries)},
                     {"hasEarlier", page.next.has_value()}};
    if (!notes.empty()) state["notes"] = std::move(notes);
    print_json(state);
    return {};
  }
  print_record(context.terminal, record, now, policy);
  print(notes_text(notes));
  if (page.next) print(context.terminal.soft("\n(earlier entries are left out; --limit shows more)") + "\n");
  for (const session::Entry& entry : page.entries)
    print_entry(context.terminal, entry, record.kind == session::kRun ? run_entry_note(entry) : std::string());
  return {};
}

}  // namespace holdfast::cli
