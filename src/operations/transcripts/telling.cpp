// list, detail, info, lineage: what is known of transcripts; nothing is changed.

#include "base/ids.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "kinds/transcripts/passages/one_passage_source.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "kinds/transcripts/reading/session_info.h"
#include "operations/sessions/notes.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"
#include "session/kinds.h"

#include <array>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

// ---- list ----

constexpr std::int64_t kListedTranscripts = 20;

constexpr std::array kListTranscriptsParameters{
    kOfFolder,
    Parameter{.name = "all",
              .type = flag,
              .help = "of every project, of Codex, and those that only the guard has",
              .against = "source_project"},
    Parameter{"kept", flag, "those that only the guard has: the client deleted them"},
    bounded("limit", "how many", "20", 1, 100'000),
};

// What the client has of this project; of all projects, or when asked, also what is only kept.
Result<Facts> list_transcripts(Context& context, const Given& given) {
  const bool all = given.flag("all"), kept = given.flag("kept");
  HF_TRY(auto project, context.folder(given.text("source_project")));
  if (!project && !all && !kept) {
    HF_TRY(project, context.project());
  }
  std::vector<std::string> statuses;
  if (kept)
    statuses = {"kept"};
  else if (!all)
    statuses = {"running", "idle"};
  const auto limit = static_cast<std::size_t>(given.number("limit", kListedTranscripts));
  HF_TRY(const catalogue::Page page, transcripts_of(context, project, std::move(statuses), limit));
  // What is asked for lies there alone.
  if (kept && !page.unread.empty()) return fail(page.unread.front());
  JsonArray sessions;
  for (const auto& [found, record, line] : page.items) {
    Facts one = to_json(line, record.status, text_in(record.data, "file"));
    one["updated_at"] = iso8601(record.updated_at);
    one["resume_command"] = found.is_kept() ? restore_command(line.session) : resume_command(line);
    sessions.push_back(std::move(one));
  }
  const std::size_t count = sessions.size();
  Facts facts{{"sessions", std::move(sessions)},
              {"count", count},
              {"total", page.total},
              {"hasMore", !page.next_cursor.empty()},
              {"project", project ? Json(*project) : Json(nullptr)}};
  if (!page.unread.empty()) facts["warnings"] = to_json_array(page.warnings());
  return facts;
}

// ---- detail ----

constexpr std::size_t kDetailPlaces = 20;                   // matches inside of one session
constexpr std::size_t kMessageLength = 1'000;               // characters of a message in a detail
constexpr std::size_t kOpening = 3, kLast = 10;             // messages of a detail
constexpr std::uint64_t kEndBytes = 512 * 1024;             // read at the end of a transcript for them, at first
constexpr std::uint64_t kMaxReadBytes = 256 * 1024 * 1024;  // and at most: about a second

constexpr std::array kDetailParameters{
    kSession, Parameter{.name = "query", .help = "places in this session that say so; as in search_sessions"}, kSourceProject};

bool is_said(const search::Passage& passage) {
  return passage.role == search::PassageRole::user || passage.role == search::PassageRole::assistant;
}

JsonObject message_of(const search::Passage& passage, bool with_line) {
  JsonObject message{{"role", name_of(passage.role)}, {"text", shorten(to_valid_utf8(passage.text), kMessageLength)}};
  if (passage.time > 0) message["time"] = iso8601(passage.time);
  if (with_line) message["line"] = passage.line;
  return message;
}

// What people and models said at the beginning.
Result<Json> opening(search::PassageSources& sources, const search::Source& source) {
  JsonArray messages;
  HF_CHECK(sources.read(source, {}, kMaxReadBytes, [&](const search::Passage& passage) {
    if (is_said(passage)) messages.emplace_back(message_of(passage, true));
    return messages.size() < kOpening;
  }));
  return Json(std::move(messages));
}

// And at the end: more is read until there is something.
Result<Json> last_messages(search::PassageSources& sources, const search::Source& source) {
  JsonArray messages;
  for (std::uint64_t bytes = kEndBytes;; bytes *= 8) {
    const std::uint64_t from = source.size > bytes ? source.size - bytes : 0;
    messages.clear();
    HF_CHECK(sources.read(source, {from, 1}, source.size, [&](const search::Passage& passage) {
      if (!is_said(passage)) return true;
      // Counted from the beginning only: what was read from the middle on has no number.
      messages.emplace_back(message_of(passage, from == 0));
      if (messages.size() > kLast) messages.erase(messages.begin());
      return true;
    }));
    if (!messages.empty() || from == 0 || bytes >= kMaxReadBytes) return Json(std::move(messages));
  }
}

Result<void> add_messages(search::PassageSources& sources, const transcripts::AnySession& session, Facts& facts) {
  search::Source source;
  source.key = std::string(session.codex() ? transcripts::kCodexKeys : transcripts::kClaudeKeys) + session.path();
  source.session = session.id();
  source.size = session.size();
  HF_TRY(facts["opening"], opening(sources, source));
  HF_TRY(facts["last_messages"], last_messages(sources, source));
  return {};
}

Result<Json> places_in(session::Finder& finder, const std::string& id, const std::string& query) {
  session::FindRequest request;
  request.text = query;
  request.kinds = {std::string(session::kTranscript)};
  request.transcripts = true;
  request.session = id;
  request.limit = 1;
  request.per_session = kDetailPlaces;
  HF_TRY(const session::FindResult found, finder.find(request));
  return found.sessions.empty() ? Json(JsonArray()) : json_of(found.sessions.front()).at("matches");
}

// How it began and ended, and where in it something was said.
Result<Facts> tell_detail(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper_for(given.text("session")));
  HF_TRY(const Context::Search search, context.search());
  HF_TRY(const auto found, context.transcript(given.text("session"), given.text("source_project")));
  HF_TRY(const auto line, catalogue::line_of(*keeper, nullptr, found));
  const transcripts::AnySession& session = line.session;
  Facts facts{
      {"session_id", session.id()}, {"product", session.product()},
      {"title", line.title},        {"project", line.project_path},
      {"branch", line.git_branch},  {"updated_at", iso8601(line.last_time > 0 ? line.last_time : session.mtime())},
      {"bytes", session.size()},    {"resume_command", found.is_kept() ? restore_command(session) : resume_command(line)}};
  if (found.is_kept()) facts["status"] = "kept";
  if (line.first_time > 0) facts["created_at"] = iso8601(line.first_time);
  if (found.in_backup()) {  // it is no source of the search: it is read from there
    HF_TRY(const auto source, catalogue::source_of(*keeper, found));
    HF_TRY(auto transcript, source->open(source->session().path()));
    facts["bytes"] = transcript.size;
    transcripts::OnePassageSource alone(std::move(transcript), source->product());
    HF_CHECK(add_messages(alone, source->session(), facts));
  } else {
    HF_CHECK(add_messages(*search.sources, session, facts));
  }
  if (const std::string query = given.text("query"); !query.empty()) {
    HF_TRY(facts["matches"], places_in(*search.finder, session.id(), query));
  }
  return facts;
}

// ---- info ----

constexpr std::array kInfoParameters{kSession, kSourceProject,
                                     Parameter{"cost", flag, "what that costs, by the table in prices.json"},
                                     Parameter{"every_file", flag, "also each of its files by its name"}};

Result<Facts> tell_info(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper_for(given.text("session")));
  HF_TRY(const auto found, context.transcript(given.text("session"), given.text("source_project")));
  HF_TRY(auto told, catalogue::describe(*keeper, found, context.progress()));
  if (given.flag("cost")) {
    HF_TRY(const auto prices, transcripts::read_prices(context.prices_file()));
    told.cost = cost_of(told.usage, prices);
  }
  Facts facts = to_json(told);
  if (given.flag("every_file")) {
    JsonArray files;
    for (const auto& each : told.inventory.artifacts) files.push_back(JsonObject{{"path", each.path}, {"bytes", each.size}});
    facts["every_file"] = std::move(files);
  }
  if (const auto store = context.store(true)) {
    HF_TRY(JsonArray notes, notes_of(**store, found.id()));
    if (!notes.empty()) facts["notes"] = std::move(notes);
  }
  return facts;
}

// ---- lineage ----

constexpr std::array kLineageParameters{kSession, kSourceProject};

Result<std::optional<transcripts::LineageTree>> family_of(Context& context, const std::string& id) {
  HF_TRY(const auto* const keeper, context.keeper());
  return keeper->lineage(id);
}

// Whose family is asked for. A session whose files are gone has its family still: it is looked for where sessions lie first and
// then among those remembered.
Result<std::string> id_of_family(Context& context, const Given& given) {
  const std::string id = given.text("session");
  HF_TRY(const auto* const keeper, context.keeper_for(id));
  auto session = context.transcript(id, given.text("source_project"));
  if (session) return session->id();
  if (id.empty() || session.error().kind != ErrorKind::not_found) return fail(std::move(session).error());
  if (is_uuid(id)) return id;
  return keeper->remembered(id, std::move(session).error());
}

Result<Facts> tell_lineage(Context& context, const Given& given) {
  HF_TRY(const std::string id, id_of_family(context, given));
  HF_TRY(const auto tree, family_of(context, id));
  if (tree) return to_json(*tree);
  return Facts{{"root_session_id", nullptr}, {"queried_session_id", id}, {"nodes", JsonObject{}}};
}

Result<Facts> export_lineage(Context& context, const Given& given) {
  HF_TRY(const std::string id, id_of_family(context, given));
  HF_TRY(const auto tree, family_of(context, id));
  if (!tree) return Facts{{"queried_session_id", id}};  // nothing is known
  std::vector<std::string> ids;
  for (const auto& [each, node] : tree->nodes) ids.push_back(each);
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(session::Store* const store, keeper->store_to_read());
  if (store) return transcripts::export_lineage(*store, ids);
  return fail(ErrorKind::not_found, "there is nothing to export yet", "the client's own forks are in its transcripts");
}

constexpr std::array kTelling{
    reads("list", "transcripts of this folder's project, newest first", kListTranscriptsParameters, list_transcripts),
    reads("detail", "how a transcript began, how it ended, and where in it something was said", kDetailParameters, tell_detail),
    reads("info", "one transcript: files, state, family, what it used", kInfoParameters, tell_info),
    reads("lineage", "where a session came from and what came of it", kLineageParameters, tell_lineage),
    reads("lineage export", "the same in claude-session's own form", kLineageParameters, export_lineage),
};

}  // namespace

Result<catalogue::Page> transcripts_of(Context& context, const std::optional<std::string>& project,
                                       std::vector<std::string> statuses, std::size_t limit) {
  catalogue::Filter filter;
  filter.query.kinds = {std::string(session::kTranscript)};
  filter.query.statuses = std::move(statuses);
  filter.query.limit = limit;
  if (project) {
    HF_TRY(std::string root, canonical_root(*project));
    filter.query.roots = {std::move(root)};
  }
  catalogue::Asker asker = context.asker();
  asker.store = {};  // it has no transcripts
  return catalogue::list(asker, filter);
}

std::span<const Operation> telling_operations() {
  return kTelling;
}

}  // namespace holdfast::operations
