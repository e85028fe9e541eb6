#include "kinds/reasoning/append.h"

#include "base/text/control_characters.h"
#include "base/text/text.h"
#include "kinds/reasoning/attach.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/title.h"
#include "kinds/reasoning/thought_types.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reasoning {

namespace {

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

namespace {

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
