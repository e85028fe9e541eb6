#include "kinds/reasoning/attach.h"

#include "base/crypto/hash.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/title.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

namespace holdfast::reasoning {

namespace {

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

}  // namespace

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

}  // namespace holdfast::reasoning
