#include "kinds/reasoning/stitch.h"

#include "kinds/reasoning/read/read.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

using session::SessionRecord;
using session::Transaction;
using Place = std::pair<std::string, std::int64_t>;

constexpr std::string_view kStitch = "stitch";

std::string free_branch(const SessionRecord& into, const std::map<std::string, std::string>& taken, const std::string& name) {
  const auto is_taken = [&](const std::string& candidate) {
    return into.count_in_lane(candidate) > 0 ||
           std::ranges::any_of(taken, [&](const auto& pair) { return pair.second == candidate; });
  };
  std::string candidate = name;
  for (int i = 2; is_taken(candidate); ++i) candidate = fmt::format("{}-{}", name, i);
  return candidate;
}

Result<bool> was_stitched(session::Reader& reader, const std::string& from) {
  HF_TRY(auto events, reader.lineage_of(from));
  return std::ranges::any_of(events,
                             [&](const session::LineageEvent& event) { return event.how == kStitch && event.parent == from; });
}

Result<Stitched> stitch_in(Transaction& transaction, const SessionRecord& from, const std::string& into_id,
                           const std::vector<Thought>& thoughts, const Situation& situation) {
  HF_TRY(const bool again, was_stitched(transaction, from.id));
  if (again) return fail(ErrorKind::conflict, fmt::format("the thoughts of {} were joined to another session before", from.id));
  Stitched stitched;
  HF_TRY(SessionRecord into, find_reasoning(transaction, situation, into_id));
  std::int64_t next = into.highest_number("") + 1;
  stitched.first_number = next;

  session::NewEntry note;
  note.type = kStitchEntry;
  note.text = fmt::format("thoughts of session {} follow", from.id);
  note.touch = session::Touch::change;
  HF_CHECK(transaction.append(into.id, std::move(note)));

  std::map<Place, Place> moved;
  std::map<std::string, std::string> branches;
  for (Thought thought : thoughts) {
    const Place old{thought.branch, thought.number};
    if (!thought.branch.empty()) {
      auto [at, is_new] = branches.try_emplace(thought.branch);
      if (is_new) at->second = free_branch(into, branches, thought.branch);
      if (is_new && at->second != thought.branch)
        stitched.renamed_branches.push_back(fmt::format("{} -> {}", thought.branch, at->second));
      thought.branch = at->second;
    }
    const auto new_number = [&](const std::string& branch, std::int64_t number) {
      const auto found = moved.find({branch, number});
      return found == moved.end() ? number : found->second.second;
    };
    if (thought.revises) thought.revises = new_number(thought.revises_main ? "" : old.first, *thought.revises);
    if (thought.branch_from) thought.branch_from = new_number("", *thought.branch_from);
    if (thought.branch.empty()) thought.number = next++;
    thought.total = std::max(thought.total, thought.number);
    thought.next_needed = true;
    moved[old] = {thought.branch, thought.number};
    session::NewEntry entry = to_entry(thought, {});
    HF_CHECK(transaction.append(into.id, std::move(entry)));
    ++stitched.thoughts;
  }

  session::LineageEvent event;
  event.child = into.id;
  event.parent = from.id;
  event.how = kStitch;
  event.details = {{"thoughts", stitched.thoughts}, {"firstNumber", stitched.first_number}};
  HF_CHECK(transaction.add_lineage(std::move(event)));
  HF_TRY(SessionRecord source, transaction.get(from.id));
  if (source.visibility == session::Visibility::live) {
    source.prior_status = source.status;
    source.prior_visibility = source.visibility;
    source.visibility = session::Visibility::archived;
    source.archived_at = transaction.now();
    HF_CHECK(transaction.update(std::move(source)));
  }
  HF_TRY(stitched.into, transaction.get(into.id));
  // Who has the orphan open goes on where its thoughts are now.
  if (Connection connection = situation.connection; connection.active_session == from.id)
    HF_CHECK(set_active(transaction, connection, into.id, last_seq(stitched.into)));
  return stitched;
}

Result<SessionRecord> change_roots(session::Store& store, const std::string& session, const Situation& situation,
                                   const std::function<Result<bool>(SessionRecord&)>& edit) {
  return store.write([&](Transaction& transaction) -> Result<SessionRecord> {
    HF_TRY(SessionRecord record, find_reasoning(transaction, situation, session));
    HF_TRY(const bool changed, edit(record));
    if (!changed) return record;
    return transaction.update(std::move(record));
  });
}

}  // namespace

Result<Stitched> stitch(session::Store& store, const std::string& from_id, const std::string& into_id,
                        const Situation& situation) {
  HF_TRY(SessionRecord from, find_reasoning(store, situation, from_id));
  HF_TRY(SessionRecord into, find_reasoning(store, situation, into_id));
  if (from.id == into.id) return fail(ErrorKind::invalid, "a session cannot be joined to itself", {}, "invalid_argument");
  if (total_count(from) > kMaxStitched)
    return fail(ErrorKind::too_large,
                fmt::format("{} thoughts are more than the {} that can be joined at once", total_count(from), kMaxStitched));
  return store.write([&](Transaction& transaction) -> Result<Stitched> {
    std::vector<Thought> thoughts;
    HF_CHECK(each_thought(transaction, from.id, [&](Thought&& thought) {
      thoughts.push_back(std::move(thought));
      return true;
    }));
    // Copies would make them look genuine.
    if (const auto bad = std::ranges::find_if(thoughts, [](const Thought& thought) { return thought.damage.has_value(); });
        bad != thoughts.end())
      return fail(ErrorKind::corrupt, fmt::format("thought {} of session {} is damaged: {}", bad->number, from.id, *bad->damage),
                  "session with operation verify says what is damaged; the session can be read as it is");
    return stitch_in(transaction, from, into.id, thoughts, situation);
  });
}

Result<SessionRecord> link_root(session::Store& store, const std::string& session, const std::string& root,
                                const Situation& situation) {
  return change_roots(store, session, situation, [&](SessionRecord& record) -> Result<bool> {
    if (record.root_uri == root)
      return fail(ErrorKind::invalid, fmt::format("{} is the session's own root", root), {}, "invalid_argument");
    if (std::ranges::find(record.linked_roots, root) != record.linked_roots.end()) return false;
    if (record.linked_roots.size() >= session::kMaxRoots)
      return fail(ErrorKind::too_large, fmt::format("a session can be linked to {} roots", session::kMaxRoots));
    record.linked_roots.push_back(root);
    return true;
  });
}

Result<SessionRecord> unlink_root(session::Store& store, const std::string& session, const std::string& root,
                                  const Situation& situation) {
  return change_roots(store, session, situation,
                      [&](SessionRecord& record) -> Result<bool> { return std::erase(record.linked_roots, root) > 0; });
}

}  // namespace holdfast::reasoning
