// What can be done with a reasoning session beside what every kind can (reasoning-sessions §6): reading its thoughts in many
// ways, closing it, joining two, and where it belongs.

#include "base/text/uri.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/brief.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/reasoning/read/graph.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/reasoning/stitch.h"
#include "operations/reasoning/situated.h"
#include "operations/sessions/list_filters.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_item.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/display.h"
#include "session/query/known_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

using reasoning::Thought;
using session::SessionRecord;
using enum Parameter::Type;

constexpr std::int64_t kThoughtLimit = 100;

std::unexpected<Error> bad_argument(std::string message, std::string hint = {}) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "invalid_argument");
}

JsonArray thought_items(const std::vector<Thought>& thoughts) {
  JsonArray out;
  for (const Thought& thought : thoughts) out.push_back(reasoning::thought_item(thought));
  return out;
}

constexpr Parameter whole(std::string_view name) {
  return {.name = name, .type = number, .least = kAnyNumber};
}

// The session that is named. Errors: those of record_named; invalid for another kind.
Result<SessionRecord> line_named(Context& context, const Given& given) {
  HF_TRY(SessionRecord record, record_named(context, given.text("session")));
  if (record.kind == session::kReasoning) return record;
  return fail(ErrorKind::invalid,
              fmt::format("{} is a {} session, and this is about reasoning sessions", record.id, record.kind));
}

// The same, else the one that is open on the connection. Never switches.
Result<SessionRecord> named_or_open(Context& context, const Given& given) {
  if (given.has("session")) return line_named(context, given);
  HF_TRY(const Situated situated, context.situation(Situate::connection));
  const std::string& active = situated.situation.connection.active_session;
  if (active.empty())
    return bad_argument("{session} is required: no session is open on this connection",
                        "init with operation load_context opens the project's");
  HF_TRY(session::Store* const store, context.store(true));
  return reasoning::find_reasoning(*store, situated.situation, active);
}

constexpr std::array kThoughtsParameters{kRecord, Parameter{.name = "limit", .type = number, .least = 1},
                                         Parameter{.name = "offset", .type = number}};

Result<Facts> get_thoughts(Context& context, const Given& given) {
  HF_TRY(SessionRecord record, line_named(context, given));
  HF_TRY(session::Store* const store, context.store(true));
  const std::int64_t offset = given.number("offset", 0);
  HF_TRY(const std::size_t most, limit_of(given, kThoughtLimit, kMaxItems));
  const auto limit = static_cast<std::int64_t>(most);
  std::int64_t place = 0;
  JsonArray main;
  JsonObject branches;
  session::add_known_damage(*store, record);
  std::optional<std::string> damage = record.damage;
  bool more = false;
  HF_CHECK(reasoning::each_thought(*store, record.id, [&](Thought&& thought) {
    if (place++ < offset) return true;
    if (place > offset + limit) {
      more = true;
      return false;
    }
    if (thought.damage && !damage) damage = fmt::format("thought {}: {}", thought.number, *thought.damage);
    if (thought.branch.empty()) {
      main.push_back(reasoning::thought_item(thought));
    } else {
      Json& branch = branches[thought.branch];
      if (!branch.is_array()) branch = JsonArray{};
      branch.as_array().push_back(reasoning::thought_item(thought));
    }
    return true;
  }));
  if (damage && !record.damage) session::remember_damage(*store, record.id, damage);
  Facts facts{{"session", session_item(record, context.now(), context.policy())},
              {"thoughts", std::move(main)},
              {"branches", std::move(branches)}};
  facts["hasMore"] = more;
  if (more) facts["next_offset"] = offset + limit;
  if (damage) facts["damage"] = *damage;
  return facts;
}

constexpr std::array kReadParameters{kMaybeRecord,
                                     whole("thought_number"),
                                     whole("last"),
                                     Parameter{.name = "range", .type = json},
                                     Parameter{.name = "branch_id"},
                                     Parameter{.name = "thought_type"},
                                     Parameter{.name = "confidence"}};

Result<Facts> read_thoughts(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, named_or_open(context, given));
  reasoning::ReadRequest request;
  request.number = given.number("thought_number");
  request.last = given.number("last");
  if (const JsonArray* range = find_array(given.values(), "range")) {
    if (range->size() != 2 || !range->at(0).is_int64() || !range->at(1).is_int64())
      return bad_argument("{range} must be [from, to]");
    request.range = {range->at(0).as_int64(), range->at(1).as_int64()};
  }
  if (given.has("branch_id")) request.branch = given.text("branch_id");
  request.type = given.text("thought_type");
  request.confidence = given.text("confidence");
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const reasoning::ReadAnswer answer, reasoning::read_thoughts(*store, record, request));
  Facts facts{{"sessionId", record.id},
              {"query", answer.query},
              {"count", answer.thoughts.size()},
              {"thoughts", thought_items(answer.thoughts)}};
  if (!answer.available_branches.empty()) facts["availableBranches"] = to_json_array(answer.available_branches);
  if (answer.unfiltered) facts["totalUnfiltered"] = *answer.unfiltered;
  return facts;
}

constexpr std::array kMaybeParameters{kMaybeRecord};
constexpr std::array kLineParameters{kRecord};

Result<Facts> get_structure(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, named_or_open(context, given));
  HF_TRY(session::Store* const store, context.store(true));
  return reasoning::structure_of(*store, record);
}

constexpr std::array kQueryParameters{kRecord,
                                      Parameter{.name = "thought_type"},
                                      Parameter{.name = "type", .type = texts},
                                      whole("start"),
                                      whole("end"),
                                      whole("references_thought"),
                                      whole("revisions_of")};

Result<Facts> query_thoughts(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, line_named(context, given));
  reasoning::ThoughtQuery query;
  query.type = given.text(given.has("thought_type") ? "thought_type" : "type");
  query.start = given.number("start");
  query.end = given.number("end");
  query.references = given.number("references_thought");
  query.revisions_of = given.number("revisions_of");
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const std::vector<Thought> thoughts, reasoning::query_thoughts(*store, record, query));
  return Facts{{"sessionId", record.id}, {"count", thoughts.size()}, {"thoughts", thought_items(thoughts)}};
}

constexpr std::array kLineExportParameters{kRecord, Parameter{.name = "format"},
                                           Parameter{.name = "include_metadata", .type = choice},
                                           Parameter{.name = "resolve_anchors", .type = choice}};

Result<Facts> export_line(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, line_named(context, given));
  reasoning::ExportOptions options;
  if (given.has("format")) options.format = given.text("format");
  options.include_metadata = given.flag("include_metadata", true);
  options.resolve_anchors = given.flag("resolve_anchors", true);
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(std::string content, reasoning::export_session(*store, record, options, context.now()));
  return Facts{{"sessionId", record.id}, {"format", options.format}, {"content", std::move(content)}};
}

Result<Facts> analyze(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, line_named(context, given));
  HF_TRY(session::Store* const store, context.store(true));
  return reasoning::analyse(*store, record, context.now());
}

constexpr std::array kCloseParameters{kRecord, Parameter{.name = "status", .type = texts}};

Result<Facts> close_line(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, line_named(context, given));
  HF_TRY(const Situated situated, context.situation(Situate::connection));
  HF_TRY(session::Store* const store, context.store(false));
  const std::vector<std::string> statuses = given.texts("status");
  HF_TRY(reasoning::Closed closed,
         reasoning::close_session(*store, record.id, statuses.empty() ? "completed" : statuses.front(), situated.situation));
  return Facts{{"sessionId", closed.record.id}, {"status", closed.record.status}, {"auditManifest", std::move(closed.manifest)}};
}

constexpr std::array kStitchParameters{Parameter{.name = "from_session_id"}, Parameter{.name = "into_session_id"}};

Result<Facts> stitch(Context& context, const Given& given) {
  if (!given.has("from_session_id") || !given.has("into_session_id"))
    return bad_argument("{from_session_id} and {into_session_id} are required",
                        "the thoughts of the first are joined to the end of the second");
  HF_TRY(const Situated situated, context.situation(Situate::connection));
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const reasoning::Stitched stitched,
         reasoning::stitch(*store, given.text("from_session_id"), given.text("into_session_id"), situated.situation));
  return Facts{{"sessionId", stitched.into.id},
               {"thoughts", stitched.thoughts},
               {"firstThoughtNumber", stitched.first_number},
               {"nextThoughtNumber", stitched.into.highest_number("") + 1},
               {"renamedBranches", to_json_array(stitched.renamed_branches)}};
}

constexpr std::array kLinkParameters{kRecord, kRootParameters[0]};

Result<std::string> root_given(const Given& given) {
  auto root = canonical_root(given.text("root"));
  if (!root) return fail(std::move(root).error().within("root"));
  return root;
}

template <auto change>
Result<Facts> change_link(Context& context, const Given& given) {
  if (!given.has("root")) return bad_argument("{root} is required", "a file URI or an absolute path");
  HF_TRY(const std::string root, root_given(given));
  HF_TRY(const SessionRecord named, line_named(context, given));
  HF_TRY(const Situated situated, context.situation(Situate::connection));
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const SessionRecord record, change(*store, named.id, root, situated.situation));
  return Facts{{"session", session_item(record, context.now(), context.policy())}};
}

constexpr std::array kBriefParameters{kMaybeRecord, whole("max_chars")};

// The most recent session of the project; of folders around it, when they may be meant.
Result<SessionRecord> line_to_go_on_with(Context& context) {
  HF_TRY(Situated situated, context.situation(Situate::root));
  std::vector<std::string>& roots = situated.situation.roots;
  if (roots.empty()) return fail(ErrorKind::invalid, "no project root is known", "give {session} or {root}", "no_root");
  auto store = context.store(true);
  if (!store && store.error().kind != ErrorKind::not_found) return fail(std::move(store).error());
  while (store) {
    HF_TRY(session::Page page, reasoning::recoverable(**store, situated.situation, {}, 1));
    if (!page.items.empty()) return std::move(page.items.front());
    const std::size_t slash = roots.front().rfind('/');
    if (!situated.folders_above || slash == std::string::npos || slash <= std::string_view("file://").size()) break;
    roots.front().resize(slash);
  }
  return fail(ErrorKind::not_found, "this project has no session yet", "init with operation start_new begins one",
              std::string(reasoning::kNoSessions));
}

Result<Facts> brief(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, given.has("session") ? line_named(context, given) : line_to_go_on_with(context));
  reasoning::BriefOptions options;
  if (const auto most = given.number("max_chars"); most && *most > 0) options.max_chars = static_cast<std::size_t>(*most);
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const reasoning::Brief made, reasoning::make_brief(*store, record, options, context.now()));
  Facts facts{{"sessionId", record.id}, {"brief", made.text}, {"cut", made.cut}};
  for (const auto& part : made.parts) facts.insert(part);
  return facts;
}

constexpr std::array kGraphParameters{kRecord, Parameter{.name = "format"}};

Result<Facts> graph(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, line_named(context, given));
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const reasoning::Graph drawn, reasoning::read_graph(*store, record));
  const std::string format = given.has("format") ? given.text("format") : "text";
  if (format != "text" && format != "svg") return bad_argument("a graph is drawn as text or svg");
  return Facts{{"sessionId", record.id},
               {"format", format},
               {"content", format == "svg" ? reasoning::graph_svg(drawn, session::shown_title(record))
                                           : reasoning::graph_text(drawn, context.width())}};
}

constexpr auto kUpdateLineParameters =
    joined(kUpdateParameters, std::array{Parameter{.name = "status", .type = texts}, kRootParameters[0]});

// The fields of every kind, and beyond them the status and the root.
Result<Facts> update_line(Context& context, const Given& given) {
  HF_TRY(const SessionRecord named, line_named(context, given));
  const std::vector<std::string> statuses = given.texts("status");
  constexpr std::array<std::string_view, 4> kSettable = {"active", "completed", "abandoned", "archived"};
  if (!statuses.empty() && std::ranges::find(kSettable, statuses.front()) == kSettable.end())
    return bad_argument(fmt::format("a reasoning session cannot be {}", statuses.front()),
                        "active, completed, abandoned or archived");
  std::optional<std::string> root;
  if (given.has("root")) {
    HF_TRY(root, root_given(given));
  }
  const bool archives = !statuses.empty() && statuses.front() == "archived";  // S1: from any
  const bool closes = !statuses.empty() && !archives && statuses.front() != "active";
  const auto edit = [&](SessionRecord& record, Millis) -> Result<bool> {
    bool changed = edit_common_fields(record, given);
    if (!archives && !statuses.empty() && session::shown_status(record) != statuses.front()) {
      if (record.visibility == session::Visibility::deleted)
        return fail(ErrorKind::refused, "the session is deleted", "restore it first");
      changed = changed || !closes || record.visibility != session::Visibility::live;
      record.visibility = session::Visibility::live;
      record.archived_at.reset();
      if (!closes) {
        record.status = statuses.front();
        record.completed_at.reset();
      }
    }
    if (root && *root != record.root_uri) {
      std::erase(record.linked_roots, *root);
      record.root_uri = *root;
      record.root_name = reasoning::name_of_root(*root);
      changed = true;
    }
    return changed;
  };
  const auto close_as = [&](session::Transaction& transaction, const SessionRecord& record) -> Result<session::Moved> {
    session::Moved moved{record, record.status != statuses.front()};
    if (moved.changed) HF_CHECK(reasoning::complete(transaction, moved.record, {}, statuses.front()));
    return moved;
  };
  return change_record(context, given, named.id, edit,
                       archives ? RecordMove(session::archive)
                       : closes ? RecordMove(close_as)
                                : RecordMove());
}

constexpr std::array kAliasParameters{kRecord, Parameter{.name = "alias"}};

// A word by which other sessions refer to this one.
Result<Facts> set_alias(Context& context, const Given& given) {
  const std::string alias = given.text("alias");
  if (alias.empty()) return bad_argument("{alias} is required", "a word; other sessions then write @word:S12");
  HF_TRY(const SessionRecord record, line_named(context, given));
  HF_TRY(session::Store* const store, context.store(false));
  HF_CHECK(store->write([&](session::Transaction& transaction) {
    return reasoning::set_alias(transaction, context.identity().principal, alias, record.id);
  }));
  return Facts{{"sessionId", record.id}, {"alias", alias}};
}

constexpr std::array kLineOperations{
    of_kind(session::kReasoning, reads("reasoning get", "a session and its thoughts", kThoughtsParameters, get_thoughts)),
    of_kind(session::kReasoning,
            changes("reasoning update", "change title, tags, pin, status or root", kUpdateLineParameters, update_line)),
    of_kind(session::kReasoning,
            reads("reasoning read_thoughts", "thoughts by number, branch or type", kReadParameters, read_thoughts)),
    of_kind(session::kReasoning, reads("reasoning get_structure", "branches and revisions", kMaybeParameters, get_structure)),
    of_kind(session::kReasoning,
            reads("reasoning query_thoughts", "thoughts that fit a question", kQueryParameters, query_thoughts)),
    of_kind(session::kReasoning, reads("reasoning export", "as a document", kLineExportParameters, export_line)),
    of_kind(session::kReasoning, reads("reasoning analyze", "counts, and what is open", kLineParameters, analyze)),
    of_kind(session::kReasoning,
            changes("reasoning close", "end it, with a manifest of what it holds", kCloseParameters, close_line)),
    of_kind(session::kReasoning,
            changes("reasoning stitch", "the thoughts of one session behind those of another", kStitchParameters, stitch)),
    of_kind(session::kReasoning, changes("reasoning link_root", "it belongs to this project, too", kLinkParameters,
                                         change_link<reasoning::link_root>)),
    of_kind(session::kReasoning, changes("reasoning unlink_root", "not to this project any more", kLinkParameters,
                                         change_link<reasoning::unlink_root>)),
    of_kind(session::kReasoning, reads("reasoning brief", "goal, decisions, open questions and last thoughts of this project",
                                       kBriefParameters, brief)),
    of_kind(session::kReasoning, reads("reasoning graph", "as a drawing: branches and revisions", kGraphParameters, graph)),
    of_kind(session::kReasoning,
            changes("reasoning set_alias", "a word by which other sessions refer to it", kAliasParameters, set_alias)),
};

}  // namespace

std::span<const Operation> line_operations() {
  return kLineOperations;
}

}  // namespace holdfast::operations
