#include "kinds/reasoning/read/recover.h"

#include "base/run/log.h"
#include "kinds/reasoning/thought.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reasoning {

namespace {

using session::SessionRecord;

std::vector<std::string> thought_type_names() {
  std::vector<std::string> names;
  for (const ThoughtType& type : thought_types()) names.emplace_back(type.name);
  return names;
}

std::string suggestions(const session::Page& page) {
  std::string text;
  for (const SessionRecord& record : page.items)
    text += fmt::format("{}{} '{}'", text.empty() ? "" : ", ", record.id, session::shown_title(record));
  return text;
}

std::unexpected<Error> no_root() {
  log(LogLevel::warn, "reasoning", "a session was to be recovered, and no project root is known");
  return fail(ErrorKind::invalid, "no project root is known, so there is nothing to look under",
              "give sessionId, or root (a file URI or an absolute path), or init with operation bind_root first", "no_root");
}

Result<SessionRecord> choose(session::Reader& reader, const LoadRequest& request, const Situation& situation, Loaded& loaded) {
  if (request.session_id) {
    auto record = find_reasoning(reader, situation, *request.session_id);
    if (record || record.error().kind != ErrorKind::not_found || situation.roots.empty()) return record;
    auto others = recoverable(reader, situation, {}, kAlternatives);
    if (!others || others->items.empty()) return record;
    Error error = std::move(record).error();
    error.hint = "sessions of this project: " + suggestions(*others);
    return fail(std::move(error));
  }
  if (situation.roots.empty()) return no_root();
  HF_TRY(session::Page page, recoverable(reader, situation, request.tags, kAlternatives + 1));
  if (page.items.empty())
    return fail(ErrorKind::not_found, fmt::format("there is no session under {} yet", fmt::join(situation.roots, ", ")),
                "init with operation start_new begins one; a bare thought does, too", std::string(kNoSessions));
  SessionRecord best = std::move(page.items.front());
  loaded.alternatives.assign(std::make_move_iterator(page.items.begin() + 1), std::make_move_iterator(page.items.end()));
  loaded.auto_recovered = true;
  return best;
}

bool is_under(const SessionRecord& record, const std::vector<std::string>& roots) {
  const auto has = [&](const std::string& root) { return std::ranges::find(roots, root) != roots.end(); };
  return has(record.root_uri) || std::ranges::any_of(record.linked_roots, has);
}

}  // namespace

Result<session::Page> recoverable(session::Reader& reader, const Situation& situation, const std::vector<std::string>& tags,
                                  std::size_t limit) {
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = situation.principal;
  query.roots = situation.roots;
  query.tags = tags;
  query.visibilities = {session::Visibility::live};
  query.sort = session::Sort::resume;
  query.prefer_status = {"active"};
  query.limit = limit;
  return reader.list(query);
}

Result<std::vector<Thought>> last_thoughts(session::Reader& reader, const std::string& session, std::size_t count) {
  std::vector<Thought> thoughts;
  if (count == 0) return thoughts;
  session::EntryQuery query;
  query.session = session;
  query.direction = session::Direction::backward;
  query.types = thought_type_names();
  query.limit = count;
  while (thoughts.size() < count) {
    HF_TRY(session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) thoughts.push_back(to_thought(entry));
    if (!page.next) break;
    query.from = *page.next;
    query.limit = count - thoughts.size();
  }
  std::ranges::reverse(thoughts);
  return thoughts;
}

Result<std::vector<BranchState>> branch_states(session::Reader& reader, const SessionRecord& record) {
  std::vector<std::pair<std::int64_t, BranchState>> found;  // by the sequence of their first thought
  for (const std::string& lane : record.lanes()) {
    BranchState state;
    state.id = lane;
    state.length = record.count_in_lane(lane);
    session::EntryQuery query;
    query.session = record.id;
    query.lane = lane;
    query.limit = 1;
    HF_TRY(session::EntryPage first, reader.entries(query));
    query.direction = session::Direction::backward;
    HF_TRY(session::EntryPage last, reader.entries(query));
    if (first.entries.empty() || last.entries.empty()) continue;
    state.forks = to_thought(first.entries.front()).branch_from.value_or(0);
    const Thought end = to_thought(last.entries.front());
    state.last = end.number;
    state.completed = !end.next_needed;
    found.emplace_back(first.entries.front().seq, std::move(state));
  }
  std::ranges::sort(found, {}, [](const auto& item) { return item.first; });
  std::vector<BranchState> states;
  for (auto& item : found) states.push_back(std::move(item.second));
  return states;
}

Result<Loaded> load_session(session::Store& store, const LoadRequest& request, const Situation& situation) {
  if (request.recent < 0 || request.recent > kMaxRecent)
    return fail(ErrorKind::invalid, fmt::format("recent must be from 0 to {}", kMaxRecent), {}, "invalid_argument");
  Loaded loaded;
  HF_TRY(loaded.record, choose(store, request, situation, loaded));
  HF_TRY(loaded.in_use, is_in_use(store, situation, loaded.record.id));
  loaded.root_mismatch = !situation.roots.empty() && !is_under(loaded.record, situation.roots);
  HF_TRY(loaded.branches, branch_states(store, loaded.record));
  HF_TRY(loaded.recent, last_thoughts(store, loaded.record.id, static_cast<std::size_t>(request.recent)));
  loaded.current_number = loaded.record.highest_number("");
  loaded.next_number = loaded.current_number + 1;
  loaded.damage = loaded.record.damage;
  for (const Thought& thought : loaded.recent)
    if (thought.damage && !loaded.damage) loaded.damage = fmt::format("thought {}: {}", thought.number, *thought.damage);
  if (!situation.has_connection()) return loaded;

  const auto kept = store.write([&](session::Transaction& transaction) -> Result<void> {
    Connection connection = situation.connection;
    return set_active(transaction, connection, loaded.record.id, last_seq(loaded.record));
  });
  // Who cannot write can still read.
  if (!kept)
    loaded.notice = fmt::format("the session could not be made the open one of this connection, so give its sessionId: {}",
                                kept.error().message);
  return loaded;
}

}  // namespace holdfast::reasoning
