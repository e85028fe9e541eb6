// What `session` can do with a reasoning session, beside what every kind can (reasoning-sessions §6).

#include "base/text/uri.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/read/brief.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/reasoning/read/graph.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/reasoning/stitch.h"
#include "operations/sessions/record_changes.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/display.h"
#include "session/query/known_damage.h"
#include "tools/argument_schema.h"
#include "tools/reasoning/reasoning_results.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/session/session_arguments.h"
#include "tools/session/session_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

using session::SessionRecord;

constexpr std::int64_t kThoughtLimit = 100;

std::unexpected<Error> invalid(std::string message, std::string hint = {}) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "invalid_argument");
}

JsonArray items(const std::vector<reasoning::Thought>& thoughts) {
  JsonArray out;
  for (const reasoning::Thought& thought : thoughts) out.push_back(reasoning::thought_item(thought));
  return out;
}

// The session the call names, else the one that is open on its connection. Never switches.
Result<SessionRecord> named_or_open(SessionCall& call, const ReasoningCaller& caller) {
  if (call.record) return *call.record;
  HF_TRY(auto situated, caller.situate(call.call, false));
  const std::string& active = situated.situation.connection.active_session;
  if (active.empty())
    return invalid("sessionId is required: no session is open on this connection",
                   "init with operation load_context opens the project's");
  return reasoning::find_reasoning(call.store, situated.situation, active);
}

Result<SessionAnswer> get_thoughts(SessionCall& call) {
  const std::int64_t offset = find_int(call.arguments(), "offset").value_or(0);
  HF_TRY(const std::size_t most, limit_of(call.arguments(), kThoughtLimit, kMaxItems));
  const auto limit = static_cast<std::int64_t>(most);
  std::int64_t place = 0;
  JsonArray main;
  JsonObject branches;
  session::add_known_damage(call.store, *call.record);
  std::optional<std::string> damage = call.record->damage;
  bool more = false;
  HF_CHECK(reasoning::each_thought(call.store, call.record->id, [&](reasoning::Thought&& thought) {
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
  if (damage && !call.record->damage) session::remember_damage(call.store, call.record->id, damage);
  JsonObject state{{"session", call.operations.item(*call.record, call.now)},
                   {"thoughts", std::move(main)},
                   {"branches", std::move(branches)}};
  state["hasMore"] = more;
  if (more) state["next_offset"] = offset + limit;
  if (damage) state["damage"] = *damage;
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> load(SessionCall& call, const ReasoningCaller& caller, bool latest) {
  HF_TRY(auto situated, caller.situate(call.call, true, true));
  if (situated.input_required) return SessionAnswer{{}, {}, true};
  reasoning::LoadRequest request;
  if (!latest) request.session_id = call.record->id;
  if (latest) request.tags = texts_of(call.arguments(), "tags");
  HF_TRY(reasoning::Loaded loaded, reasoning::load_session(call.store, request, situated.situation));
  session::add_known_damage(call.store, loaded.record);
  JsonObject state = loaded_state(loaded, std::nullopt, call.now);
  state["lastThought"] = loaded.recent.empty() ? Json(nullptr) : Json(reasoning::thought_item(loaded.recent.back()));
  return SessionAnswer{std::move(state), loaded_line(loaded, call.now), false};
}

Result<SessionAnswer> read_thoughts(SessionCall& call, const ReasoningCaller& caller) {
  HF_TRY(SessionRecord record, named_or_open(call, caller));
  const JsonObject& arguments = call.arguments();
  reasoning::ReadRequest request;
  request.number = find_int(arguments, "thoughtNumber");
  request.last = find_int(arguments, "last");
  if (const JsonArray* range = find_array(arguments, "range")) {
    if (range->size() != 2 || !range->at(0).is_int64() || !range->at(1).is_int64()) return invalid("range must be [from, to]");
    request.range = {range->at(0).as_int64(), range->at(1).as_int64()};
  }
  if (auto branch = find_string(arguments, "branchId")) request.branch = std::string(*branch);
  request.type = find_string(arguments, "thoughtType").value_or("");
  request.confidence = find_string(arguments, "confidence").value_or("");
  HF_TRY(reasoning::ReadAnswer answer, reasoning::read_thoughts(call.store, record, request));
  JsonObject state{
      {"sessionId", record.id}, {"query", answer.query}, {"count", answer.thoughts.size()}, {"thoughts", items(answer.thoughts)}};
  if (!answer.available_branches.empty()) {
    JsonArray branches;
    for (const std::string& branch : answer.available_branches) branches.emplace_back(branch);
    state["availableBranches"] = std::move(branches);
  }
  if (answer.unfiltered) state["totalUnfiltered"] = *answer.unfiltered;
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> get_structure(SessionCall& call, const ReasoningCaller& caller) {
  HF_TRY(SessionRecord record, named_or_open(call, caller));
  HF_TRY(JsonObject structure, reasoning::structure_of(call.store, record));
  return SessionAnswer{std::move(structure), {}, false};
}

Result<SessionAnswer> query_thoughts(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  reasoning::ThoughtQuery query;
  query.type = find_string(arguments, "thoughtType").value_or(find_string(arguments, "type").value_or(""));
  query.start = find_int(arguments, "start");
  query.end = find_int(arguments, "end");
  query.references = find_int(arguments, "referencesThought");
  query.revisions_of = find_int(arguments, "revisionsOf");
  HF_TRY(std::vector<reasoning::Thought> thoughts, reasoning::query_thoughts(call.store, *call.record, query));
  return SessionAnswer{{{"sessionId", call.record->id}, {"count", thoughts.size()}, {"thoughts", items(thoughts)}}, {}, false};
}

Result<SessionAnswer> export_session(SessionCall& call) {
  reasoning::ExportOptions options;
  options.format = find_string(call.arguments(), "format").value_or(options.format);
  options.include_metadata = find_bool(call.arguments(), "includeMetadata").value_or(true);
  options.resolve_anchors = find_bool(call.arguments(), "resolveAnchors").value_or(true);
  HF_TRY(std::string content, reasoning::export_session(call.store, *call.record, options, call.now));
  return SessionAnswer{{{"sessionId", call.record->id}, {"format", options.format}, {"content", content}}, {}, false};
}

Result<SessionAnswer> analyze(SessionCall& call) {
  HF_TRY(JsonObject analysis, reasoning::analyse(call.store, *call.record, call.now));
  return SessionAnswer{std::move(analysis), {}, false};
}

Result<SessionAnswer> close(SessionCall& call, const ReasoningCaller& caller) {
  HF_TRY(auto situated, caller.situate(call.call, false));
  const std::vector<std::string> statuses = texts_of(call.arguments(), "status");
  const std::string status = statuses.empty() ? "completed" : statuses.front();
  HF_TRY(reasoning::Closed closed, reasoning::close_session(call.store, call.record->id, status, situated.situation));
  return SessionAnswer{
      {{"sessionId", closed.record.id}, {"status", closed.record.status}, {"auditManifest", std::move(closed.manifest)}},
      {},
      false};
}

Result<SessionAnswer> stitch(SessionCall& call, const ReasoningCaller& caller) {
  const auto from = find_string(call.arguments(), "fromSessionId"), into = find_string(call.arguments(), "intoSessionId");
  if (!from || !into)
    return invalid("fromSessionId and intoSessionId are required",
                   "the thoughts of the first are joined to the end of the second");
  HF_TRY(auto situated, caller.situate(call.call, false));
  HF_TRY(reasoning::Stitched stitched, reasoning::stitch(call.store, std::string(*from), std::string(*into), situated.situation));
  JsonArray renamed;
  for (const std::string& branch : stitched.renamed_branches) renamed.emplace_back(branch);
  return SessionAnswer{{{"sessionId", stitched.into.id},
                        {"thoughts", stitched.thoughts},
                        {"firstThoughtNumber", stitched.first_number},
                        {"nextThoughtNumber", stitched.into.highest_number("") + 1},
                        {"renamedBranches", std::move(renamed)}},
                       {},
                       false};
}

Result<SessionAnswer> change_link(SessionCall& call, const ReasoningCaller& caller, bool link) {
  const auto given = find_string(call.arguments(), "root");
  if (!given) return invalid("root is required", "a file URI or an absolute path");
  auto root = canonical_root(*given);
  if (!root) return fail(std::move(root).error().within("root"));
  HF_TRY(auto situated, caller.situate(call.call, false));
  HF_TRY(SessionRecord record, link ? reasoning::link_root(call.store, call.record->id, *root, situated.situation)
                                    : reasoning::unlink_root(call.store, call.record->id, *root, situated.situation));
  return SessionAnswer{{{"session", call.operations.item(record, call.now)}}, {}, false};
}

Result<SessionAnswer> brief(SessionCall& call, const ReasoningCaller& caller) {
  SessionRecord record;
  if (call.record) {
    record = *call.record;
  } else {
    HF_TRY(auto situated, caller.situate(call.call, true));
    if (situated.input_required) return SessionAnswer{{}, {}, true};
    if (situated.situation.roots.empty())
      return fail(ErrorKind::invalid, "no project root is known", "give sessionId or root", "no_root");
    HF_TRY(session::Page page, reasoning::recoverable(call.store, situated.situation, {}, 1));
    if (page.items.empty())
      return fail(ErrorKind::not_found, "this project has no session yet", "init with operation start_new begins one",
                  std::string(reasoning::kNoSessions));
    record = std::move(page.items.front());
  }
  reasoning::BriefOptions options;
  if (auto budget = find_int(call.arguments(), "maxChars"); budget && *budget > 0)
    options.max_chars = static_cast<std::size_t>(*budget);
  HF_TRY(reasoning::Brief made, reasoning::make_brief(call.store, record, options, call.now));
  JsonObject state{{"sessionId", record.id}, {"brief", made.text}, {"cut", made.cut}};
  for (const auto& part : made.parts) state.insert(part);
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> graph(SessionCall& call) {
  HF_TRY(reasoning::Graph drawn, reasoning::read_graph(call.store, *call.record));
  const std::string format(find_string(call.arguments(), "format").value_or("text"));
  if (format != "text" && format != "svg") return invalid("a graph is drawn as text or svg");
  constexpr std::size_t kWidth = 120;
  return SessionAnswer{{{"sessionId", call.record->id},
                        {"format", format},
                        {"content", format == "svg" ? reasoning::graph_svg(drawn, session::shown_title(*call.record))
                                                    : reasoning::graph_text(drawn, kWidth)}},
                       {},
                       false};
}

// The fields of every kind, and beyond them the status, the root, and a word by which other sessions refer to this one.
Result<SessionAnswer> update_reasoning(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  const std::vector<std::string> statuses = texts_of(arguments, "status");
  constexpr std::array<std::string_view, 4> kSettable = {"active", "completed", "abandoned", "archived"};
  if (!statuses.empty() && std::ranges::find(kSettable, statuses.front()) == kSettable.end())
    return invalid(fmt::format("a reasoning session cannot be {}", statuses.front()), "active, completed, abandoned or archived");
  std::optional<std::string> root;
  if (auto given = find_string(arguments, "root")) {
    auto canonical = canonical_root(*given);
    if (!canonical) return fail(std::move(canonical).error().within("root"));
    root = *canonical;
  }
  const bool archives = !statuses.empty() && statuses.front() == "archived";  // S1: from any
  const bool closes = !statuses.empty() && !archives && statuses.front() != "active";
  const operations::Given given = given_of(*operations::find_operation("sessions update"), arguments);
  const auto edit = [&](SessionRecord& record, Millis) -> Result<bool> {
    bool changed = operations::edit_common_fields(record, given);
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
  using operations::RecordMove;
  auto facts = operations::change_record(call.context, given, call.record->id, edit,
                                         archives ? RecordMove(session::archive)
                                         : closes ? RecordMove(close_as)
                                                  : RecordMove());
  if (!facts) return fail(in_words_of(call.record->kind, std::move(facts).error()));
  return SessionAnswer{std::move(*facts), {}, false};
}

Result<SessionAnswer> set_alias(SessionCall& call) {
  const auto alias = find_string(call.arguments(), "alias");
  if (!alias || alias->empty()) return invalid("alias is required", "a word; other sessions then write @word:S12");
  HF_CHECK(call.store.write([&](session::Transaction& transaction) {
    return reasoning::set_alias(transaction, call.principal(), std::string(*alias), call.record->id);
  }));
  return SessionAnswer{{{"sessionId", call.record->id}, {"alias", *alias}}, {}, false};
}

}  // namespace

void add_reasoning_operations(SessionOperations& operations, const ReasoningCaller& caller) {
  using enum SessionOperation::Session;
  const std::string kind(session::kReasoning);
  const auto with = [&caller](auto run) { return [run, &caller](SessionCall& call) { return run(call, caller); }; };
  operations.add({"get", kind, required, get_thoughts});
  operations.add({"update", kind, required, update_reasoning});
  operations.add({"resume", kind, required, [&caller](SessionCall& call) { return load(call, caller, false); }});
  operations.add({"resume_latest", kind, none, [&caller](SessionCall& call) { return load(call, caller, true); }});
  operations.add({"read_thoughts", kind, optional, with(read_thoughts)});
  operations.add({"get_structure", kind, optional, with(get_structure)});
  operations.add({"query_thoughts", kind, required, query_thoughts});
  operations.add({"export", kind, required, export_session});
  operations.add({"analyze", kind, required, analyze});
  operations.add({"close", kind, required, with(close)});
  operations.add({"stitch", kind, none, with(stitch)});
  operations.add({"link_root", kind, required, [&caller](SessionCall& call) { return change_link(call, caller, true); }});
  operations.add({"unlink_root", kind, required, [&caller](SessionCall& call) { return change_link(call, caller, false); }});
  operations.add({"brief", kind, optional, with(brief)});
  operations.add({"graph", kind, required, graph});
  operations.add({"set_alias", kind, required, set_alias});

  for (const char* name : {"thoughtNumber", "last", "start", "end", "referencesThought", "revisionsOf", "maxChars"})
    operations.add_argument(name, argument::integer());
  for (const char* name : {"branchId", "thoughtType", "confidence", "format", "fromSessionId", "intoSessionId", "alias"})
    operations.add_argument(name, argument::text());
  operations.add_argument("range", {{"type", "array"}, {"items", argument::integer()}});
  operations.add_argument("includeMetadata", argument::flag());
  operations.add_argument("resolveAnchors", argument::flag());
}

}  // namespace holdfast::tools
