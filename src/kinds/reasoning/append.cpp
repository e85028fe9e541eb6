// One thought, from the request to the entry in its session.
//
// In goes the thought and the situation of its caller; out comes its session, its number and what there is to be said about both.
// All of it happens in one transaction (append_in), so what is refused at any step has changed nothing, and two callers at once
// never get one number.
//
// First the session (attach): the one that is named, the one that this connection has open, the one that the project was left
// with, or a new one. Then the key: a call that was sent again because its answer was lost gets the answer of then. It comes
// after the session, because a key counts within one, and before everything that could be refused, because what was accepted once
// must not be refused the second time. Then the place: branch, revision and number are checked against what is stored now. Then
// the entry is written, and a last thought closes the session with its manifest, whose long part was read before the transaction
// began, so that others do not wait for it. At the end the connection remembers the session as its own.

#include "kinds/reasoning/append.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/title.h"
#include "kinds/reasoning/thought.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

namespace holdfast::reasoning {
namespace {

struct Attachment {
  session::SessionRecord record;
  Attached how = Attached::current;
  std::optional<AppendOutcome::Recovered> recovered;
  std::string previous_session;
  std::vector<std::string> notices;
};

enum class WhenNoneIsOpen { leave, look_or_begin };

using session::SessionRecord;
using session::Transaction;

constexpr std::size_t kCandidates = 50;  // open sessions of one root that are looked at; the newest
constexpr std::size_t kNamed = 5;        // of them in a notice

// Marks a session that was begun because a bare thought could not be attached to one of several free ones. The next bare thought
// that is as lost goes there, or a client with a connection per call would begin one with every thought (docs/decisions/0007).
// One that was begun because others were in use is somebody's own, and is not marked.
constexpr std::string_view kBeside = "beside";

bool is_beside(const SessionRecord& record) {
  return find_bool(record.data, kBeside).value_or(false);
}

// Of the project, and recent.
Result<std::vector<SessionRecord>> candidates(Transaction& transaction, const Situation& situation,
                                              std::vector<std::string> statuses) {
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = situation.principal;
  query.roots = situation.roots;
  query.statuses = std::move(statuses);
  query.visibilities = {session::Visibility::live};
  query.updated_since = transaction.now() - situation.attach_window;
  query.limit = kCandidates;
  HF_TRY(session::Page page, transaction.list(query));
  return std::move(page.items);
}

bool is_among(const std::vector<SessionRecord>& records, const std::string& id) {
  return std::ranges::find(records, id, &SessionRecord::id) != records.end();
}

std::string listed(const std::vector<SessionRecord>& records, const std::vector<SessionRecord>& free, Millis now) {
  std::string text;
  for (const SessionRecord& record : records | std::views::take(kNamed))
    text += fmt::format("{}{} '{}' ({} thoughts, {}{})", text.empty() ? "" : "; ", record.id, session::shown_title(record),
                        thought_count(record), session::age(record.updated_at, now),
                        is_among(free, record.id) ? "" : ", in use by another connection");
  return text;
}

// A client that lost the answer sends the call again: the session that has its key is the one, however many there are, and also
// when it was the call that closed it. A key counts within one session, so the text must be the same, too.
Result<std::optional<SessionRecord>> with_key(Transaction& transaction, const Situation& situation,
                                              const ThoughtRequest& request) {
  if (request.idempotency_key.empty()) return std::nullopt;
  HF_TRY(std::vector<SessionRecord> records, candidates(transaction, situation, {}));
  for (SessionRecord& record : records) {
    HF_TRY(auto entry, transaction.entry_with_key(record.id, request.idempotency_key));
    if (entry && entry->text == request.text) return std::move(record);
  }
  return std::nullopt;
}

// Which session a call with this key has begun: also a call that asks for a new session is sent again when its answer was lost,
// perhaps by another connection and behind many sessions.
constexpr std::string_view kBegunSpace = "reasoning.begun";
constexpr Millis kBegunLife = 7LL * 24 * 3600 * 1000;  // longer than any client tries again

std::string begun_key(const Situation& situation, const ThoughtRequest& request) {
  return to_hex(sha256(fmt::format("{}\n{}\n{}", situation.principal, request.idempotency_key, request.text)));
}

Result<std::optional<SessionRecord>> begun_before(Transaction& transaction, const Situation& situation,
                                                  const ThoughtRequest& request) {
  if (request.idempotency_key.empty()) return std::nullopt;
  HF_TRY(auto begun, transaction.value(kBegunSpace, begun_key(situation, request)));
  if (!begun || !begun->value.is_string()) return std::nullopt;
  auto record = find_reasoning(transaction, situation, view(begun->value.get_string()));
  if (!record) return std::nullopt;  // deleted since
  HF_TRY(auto entry, transaction.entry_with_key(record->id, request.idempotency_key));
  if (!entry) return std::nullopt;
  return std::move(*record);
}

Result<std::vector<SessionRecord>> not_in_use(Transaction& transaction, const Situation& situation,
                                              const std::vector<SessionRecord>& records) {
  std::vector<SessionRecord> free;
  for (const SessionRecord& record : records) {
    HF_TRY(const bool in_use, is_in_use(transaction, situation, record.id));
    if (!in_use) free.push_back(record);
  }
  return free;
}

Attachment recovered(SessionRecord record, Millis now, std::vector<std::string> notices = {}) {
  Attachment attachment;
  attachment.how = Attached::recovered;
  attachment.recovered = {thought_count(record), (now - record.updated_at) / 1000};
  attachment.record = std::move(record);
  attachment.notices = std::move(notices);
  return attachment;
}

// The one that a bare thought goes on with: the only free one, or the one that lost thoughts share. The oldest of these: a later
// one was begun because that was in use.
const SessionRecord* chosen_among(const std::vector<SessionRecord>& free) {
  if (free.size() == 1) return &free.front();
  const SessionRecord* chosen = nullptr;
  for (const SessionRecord& record : free)
    if (is_beside(record) && (!chosen || std::tie(record.created_at, record.id) < std::tie(chosen->created_at, chosen->id)))
      chosen = &record;
  return chosen;
}

std::string chosen_notice(const SessionRecord& chosen, std::vector<SessionRecord> found, const std::vector<SessionRecord>& free,
                          Millis now) {
  const std::size_t open = found.size();
  std::erase_if(found, [&](const SessionRecord& record) { return record.id == chosen.id; });
  return fmt::format(
      "this project has {} open sessions, and the thought went to {} '{}'; the others are: {}; give a sessionId to "
      "go on with one of them",
      open, chosen.id, session::shown_title(chosen), listed(found, free, now));
}

// nullopt: none is open, and that is left so. Otherwise the session is created when none fits.
Result<std::optional<Attachment>> attach(Transaction& transaction, const ThoughtRequest& request, const Situation& situation,
                                         const Connection& connection, WhenNoneIsOpen when_none) {
  if (request.session_id) {
    HF_TRY(SessionRecord record, find_reasoning(transaction, situation, *request.session_id));
    Attachment attachment;
    attachment.how = record.id == connection.active_session ? Attached::current : Attached::handle;
    attachment.record = std::move(record);
    return attachment;
  }

  HF_TRY(auto begun, begun_before(transaction, situation, request));
  if (begun) return recovered(std::move(*begun), transaction.now());

  std::string previous;
  std::vector<std::string> notices;
  if (!connection.active_session.empty()) {
    auto active = find_reasoning(transaction, situation, connection.active_session);
    if (active && active->visibility == session::Visibility::archived)
      active = fail(ErrorKind::refused, fmt::format("session {} is archived", active->id));
    if (active) {
      const bool other_title =
          request.session_title && !request.session_title->empty() && *request.session_title != active->title;
      if (!request.new_session && !other_title) {
        Attachment attachment;
        attachment.record = std::move(*active);
        return attachment;
      }
      previous = active->id;
    } else if (active.error().kind != ErrorKind::not_found && active.error().kind != ErrorKind::refused) {
      return fail(std::move(active).error());
    } else {
      notices.push_back(fmt::format("the session that was open here is gone: {}", active.error().message));
    }
  }

  if (when_none == WhenNoneIsOpen::leave) return std::nullopt;
  bool beside = false;
  const std::string title = request.session_title.value_or("");
  if (!situation.roots.empty() && !request.new_session && previous.empty()) {
    HF_TRY(auto same, with_key(transaction, situation, request));
    HF_TRY(std::vector<SessionRecord> found, candidates(transaction, situation, {"active"}));
    if (same) return recovered(std::move(*same), transaction.now());
    // Callers repeat the title with every thought (A3); with a connection per call that is how they name their session.
    if (!title.empty()) std::erase_if(found, [&](const SessionRecord& record) { return record.title != title; });
    if (situation.auto_attach && connection.may_attach && !found.empty()) {
      HF_TRY(const std::vector<SessionRecord> free, not_in_use(transaction, situation, found));
      if (const SessionRecord* chosen = chosen_among(free)) {
        if (found.size() > 1) notices.push_back(chosen_notice(*chosen, found, free, transaction.now()));
        return recovered(*chosen, transaction.now(), std::move(notices));
      }
      beside = !free.empty();
      notices.push_back(fmt::format("a new session was begun, because {}: {}; give a sessionId to {}",
                                    beside              ? "this project has several open ones"
                                    : found.size() == 1 ? "the open one of this project is in use"
                                                        : "all open ones of this project are in use",
                                    listed(found, free, transaction.now()), beside ? "go on with one" : "join it"));
    }
  }

  NewSession wanted;
  wanted.title = title;
  if (wanted.title.empty()) wanted.title = title_of(request.text);
  wanted.tags = request.session_tags;
  wanted.opening = request.text;
  if (beside) wanted.data[kBeside] = true;
  if (situation.roots.size() == 1) wanted.root = situation.roots.front();
  if (situation.roots.size() > 1)
    notices.push_back("the session has no root, because the client offers several; init with operation bind_root chooses one");
  else if (situation.roots.empty())
    notices.push_back("no project root is known: to find this session again its sessionId will be needed");
  HF_TRY(SessionRecord record, create_session(transaction, wanted, situation));
  if (!request.idempotency_key.empty())
    HF_CHECK(transaction.put(kBegunSpace, begun_key(situation, request), Json(record.id), {}, transaction.now() + kBegunLife));
  return Attachment{std::move(record), Attached::fresh, {}, std::move(previous), std::move(notices)};
}

using session::SessionRecord;
using session::Transaction;

std::unexpected<Error> bad_thought(std::string message, std::string hint = {}, std::string code = "invalid_argument") {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), std::move(code));
}

// T5, T6. The fork is set on the first thought of a branch.
Result<void> place_in_branch(Transaction& transaction, const SessionRecord& record, const ThoughtRequest& request,
                             Thought& thought) {
  if (!request.branch) {
    if (!request.branch_from) return {};
    return bad_thought("branchFromThought needs a branchId", "for example {\"branchId\":\"option-a\",\"branchFromThought\":4}",
                       "branch_id_required");
  }
  thought.branch = *request.branch;
  if (record.count_in_lane(thought.branch) == 0) {
    if (!request.branch_from)
      return bad_thought(
          fmt::format("there is no branch '{}' yet, so branchFromThought must say where it begins", thought.branch),
          "for example {\"branchId\":\"option-a\",\"branchFromThought\":4}", "branch_origin_required");
    HF_TRY(auto origin, transaction.entry_at(record.id, "", *request.branch_from));
    if (!origin)
      return bad_thought(fmt::format("the main chain has no thought {} to branch from", *request.branch_from),
                         fmt::format("its highest number is {}", record.highest_number("")), "branch_origin_missing");
    thought.branch_from = *request.branch_from;
    return {};
  }
  if (!request.branch_from) return {};
  session::EntryQuery first;
  first.session = record.id;
  first.lane = thought.branch;
  first.limit = 1;
  HF_TRY(session::EntryPage page, transaction.entries(first));
  const auto forks = page.entries.empty() ? std::nullopt : to_thought(page.entries.front()).branch_from;
  if (forks && *forks != *request.branch_from)
    return bad_thought(fmt::format("branch '{}' begins at thought {}, not at {}", thought.branch, *forks, *request.branch_from),
                       "leave branchFromThought out to continue the branch, or choose another branchId",
                       "branch_origin_mismatch");
  return {};
}

// T7. The target exists already, so no thought can revise itself and no circle can be made.
Result<void> point_at_revised(Transaction& transaction, const SessionRecord& record, const ThoughtRequest& request,
                              Thought& thought) {
  if (!request.revises) {
    if (!request.is_revision.value_or(false)) return {};
    return bad_thought("isRevision needs revisesThought", "revisesThought is the number of the thought that is corrected",
                       "revision_target_required");
  }
  for (const std::string& lane : {thought.branch, std::string()}) {
    HF_TRY(auto target, transaction.entry_at(record.id, lane, *request.revises));
    if (!target) continue;
    thought.revises = *request.revises;
    thought.revises_main = !thought.branch.empty() && lane.empty();
    return {};
  }
  return bad_thought(fmt::format("there is no thought {} to revise", *request.revises),
                     fmt::format("the highest number is {}", record.highest_number(thought.branch)), "revision_target_missing");
}

// T2-T4: the number to store under; or the entry that this call has already made.
Result<std::optional<session::Entry>> choose_number(Transaction& transaction, const SessionRecord& record,
                                                    const ThoughtRequest& request, Thought& thought) {
  const std::int64_t highest = record.highest_number(thought.branch);
  const std::int64_t next = highest > 0 ? highest + 1 : thought.branch_from ? *thought.branch_from + 1 : 1;
  thought.number = next;
  if (!request.number) return std::nullopt;
  HF_TRY(auto there, transaction.entry_at(record.id, thought.branch, *request.number));
  if (!there) {
    thought.number = *request.number;
    return std::nullopt;
  }
  if (there->text == request.text) return there;
  thought.requested = *request.number;
  return std::nullopt;
}

void note_strangers(const Holder& last, const SessionRecord& record, const Situation& situation, Transaction& transaction,
                    std::vector<std::string>& notices) {
  session::EntryQuery since;
  since.session = record.id;
  since.from = last.seen_seq + 1;
  since.limit = session::kMaxEntryLimit;
  auto page = transaction.entries(since);
  if (!page) return;
  std::int64_t count = 0, number = 0;
  std::string branch;
  for (const session::Entry& entry : page->entries) {
    if (entry.run == situation.run || !is_thought_type(entry.type)) continue;
    ++count;
    number = entry.number;
    branch = entry.lane;
  }
  if (count == 0) return;
  notices.push_back(fmt::format("since your last call {} {} added by another connection; the last is {}{}", count,
                                count == 1 ? "thought was" : "thoughts were", number,
                                branch.empty() ? "" : fmt::format(" of branch '{}'", branch)));
}

// What a stored thought answers when the same call comes again.
Result<AppendOutcome> replay(Transaction& transaction, AppendOutcome outcome, const session::Entry& entry,
                             Connection& connection) {
  outcome.thought = to_thought(entry);
  outcome.requested_number = outcome.thought.requested;
  outcome.replayed = true;
  if (!outcome.thought.next_needed && outcome.thought.branch.empty() && outcome.record.status == "completed") {
    outcome.closed = true;
    HF_TRY(outcome.manifest, stored_manifest(transaction, outcome.record));
    HF_CHECK(set_active(transaction, connection, "", 0));
    return outcome;
  }
  HF_CHECK(set_active(transaction, connection, outcome.record.id, last_seq(outcome.record)));
  return outcome;
}

Result<std::optional<AppendOutcome>> append_in(Transaction& transaction, const ThoughtRequest& request,
                                               const Situation& situation, WhenNoneIsOpen when_none, const ManifestBuilder& seen,
                                               const std::string& seen_session) {
  Connection connection = situation.connection;
  if (when_none == WhenNoneIsOpen::leave && situation.has_connection()) {
    HF_CHECK(recall_connection(transaction, connection));
  } else if (situation.has_connection()) {
    HF_TRY(auto stored, load_connection(transaction, connection.id));
    if (stored) connection.active_session = stored->active_session, connection.may_attach = stored->may_attach;
  }
  HF_TRY(auto attachment, attach(transaction, request, situation, connection, when_none));
  if (!attachment) return std::nullopt;
  AppendOutcome outcome;
  outcome.record = std::move(attachment->record);
  outcome.attached = attachment->how;
  outcome.recovered = attachment->recovered;
  outcome.previous_session = std::move(attachment->previous_session);
  outcome.notices = std::move(attachment->notices);
  if (outcome.attached == Attached::fresh) connection.may_attach = false;
  if (outcome.record.visibility == session::Visibility::archived)
    return fail(ErrorKind::refused, fmt::format("session {} is archived", outcome.record.id),
                "session with operation unarchive brings it back");

  if (!request.idempotency_key.empty()) {
    HF_TRY(auto same, transaction.entry_with_key(outcome.record.id, request.idempotency_key));
    if (same) return replay(transaction, std::move(outcome), *same, connection);
  }
  Thought& thought = outcome.thought;
  thought.text = request.text;
  thought.type = request.type;
  thought.payload = request.payload;
  thought.next_needed = request.next_needed;
  thought.needs_more = request.needs_more;
  thought.agent_id = request.agent_id.empty() ? situation.agent_id : request.agent_id;
  thought.agent_name = request.agent_name.empty() ? situation.agent_name : request.agent_name;
  thought.run = situation.run;
  HF_CHECK(place_in_branch(transaction, outcome.record, request, thought));
  HF_CHECK(point_at_revised(transaction, outcome.record, request, thought));
  HF_TRY(auto same, choose_number(transaction, outcome.record, request, thought));
  if (same) return replay(transaction, std::move(outcome), *same, connection);
  outcome.requested_number = thought.requested;
  thought.total = std::max(request.total.value_or(thought.number), thought.number);

  if (situation.has_connection()) {
    HF_TRY(auto last, holder(transaction, outcome.record.id, connection.id));
    if (last) note_strangers(*last, outcome.record, situation, transaction, outcome.notices);
  }
  outcome.reopened = outcome.record.status != "active";
  const bool unnamed = outcome.record.title.empty() && total_count(outcome.record) == 0;
  if (unnamed) outcome.record.title = title_of(request.text);  // S5: begun by start_new without one
  if (outcome.reopened) {
    outcome.record.status = "active";
    outcome.record.completed_at.reset();
  }
  if (outcome.reopened || unnamed) {
    HF_TRY(outcome.record, transaction.update(std::move(outcome.record)));
  }
  HF_TRY(session::Appended appended, transaction.append(outcome.record.id, to_entry(thought, request.idempotency_key)));
  thought.seq = appended.entry.seq;
  thought.time = appended.entry.time;

  if (!request.next_needed && thought.branch.empty()) {
    HF_TRY(outcome.manifest,
           complete(transaction, outcome.record, seen_session == outcome.record.id ? seen : ManifestBuilder{}, "completed"));
    outcome.closed = true;
    connection.may_attach = false;
    HF_CHECK(set_active(transaction, connection, "", 0));
    return outcome;
  }
  outcome.branch_completed = !request.next_needed;
  HF_TRY(outcome.record, transaction.get(outcome.record.id));
  HF_CHECK(set_active(transaction, connection, outcome.record.id, thought.seq));
  return outcome;
}

Result<std::optional<AppendOutcome>> append(session::Store& store, const ThoughtRequest& request, const Situation& situation,
                                            WhenNoneIsOpen when_none) {
  HF_CHECK(check_request(request));
  // The manifest of a long session takes a while to build: do what can be done before others have to wait.
  ManifestBuilder seen;
  std::string seen_session;
  if (!request.next_needed && !request.branch) {
    seen_session = request.session_id.value_or(situation.connection.active_session);
    if (!seen_session.empty() && !read_into(seen, store, seen_session)) seen_session.clear();
  }
  return store.write(
      [&](Transaction& transaction) { return append_in(transaction, request, situation, when_none, seen, seen_session); });
}

}  // namespace

std::string_view name_of(Attached attached) {
  switch (attached) {
    case Attached::current:
      return "current";
    case Attached::handle:
      return "handle";
    case Attached::recovered:
      return "recovered";
    case Attached::fresh:
      break;
  }
  return "new";
}

Result<void> check_request(const ThoughtRequest& request) {
  if (trim(request.text).empty()) return bad_thought("thought is empty", "put the text of the thought into `thought`");
  if (request.text.size() > kMaxThoughtBytes)
    return bad_thought(fmt::format("a thought has at most {} bytes, this one has {}", kMaxThoughtBytes, request.text.size()),
                       "split it into several thoughts");
  for (const auto& [number, name] :
       {std::pair(request.number, "thoughtNumber"), std::pair(request.total, "totalThoughts"),
        std::pair(request.revises, "revisesThought"), std::pair(request.branch_from, "branchFromThought")})
    if (number && (*number < 1 || *number > kMaxThoughtNumber))
      return bad_thought(fmt::format("{} must be a whole number from 1 to {}, not {}", name, kMaxThoughtNumber, *number));
  if (request.branch) {
    const std::size_t length = utf8_length(*request.branch);
    if (length < 1 || length > kMaxBranchId || has_control_character(*request.branch) || !is_valid_utf8(*request.branch))
      return bad_thought(fmt::format("branchId must have 1 to {} characters and no control characters", kMaxBranchId));
  }
  if (request.idempotency_key.size() > session::kMaxIdempotencyKeyBytes)
    return bad_thought(fmt::format("idempotencyKey must not be longer than {} bytes", session::kMaxIdempotencyKeyBytes));
  for (const auto& [id, name] : {std::pair(&request.idempotency_key, "idempotencyKey"), std::pair(&request.agent_id, "agentId")})
    if (has_control_character(*id)) return bad_thought(fmt::format("{} must not have control characters", name));
  return {};
}

Result<AppendOutcome> append_thought(session::Store& store, const ThoughtRequest& request, const Situation& situation) {
  HF_TRY(auto outcome, append(store, request, situation, WhenNoneIsOpen::look_or_begin));
  return *std::move(outcome);
}

Result<std::optional<AppendOutcome>> append_if_open(session::Store& store, const ThoughtRequest& request,
                                                    const Situation& situation) {
  return append(store, request, situation, WhenNoneIsOpen::leave);
}

std::int64_t thought_count(const SessionRecord& record) {
  std::int64_t count = 0;
  for (const session::Tally& tally : record.tallies)
    if (tally.lane.empty() && is_thought_type(tally.type)) count += tally.count;
  return count;
}

std::int64_t total_count(const SessionRecord& record) {
  std::int64_t count = 0;
  for (const session::Tally& tally : record.tallies)
    if (is_thought_type(tally.type)) count += tally.count;
  return count;
}

std::int64_t last_seq(const SessionRecord& record) {
  std::int64_t last = 0;
  for (const session::Tally& tally : record.tallies) last = std::max(last, tally.last_seq);
  return last;
}

std::vector<std::string> branches_of(const SessionRecord& record) {
  return record.lanes();
}

}  // namespace holdfast::reasoning
