// How notices are kept: three spaces of keyed values.
//   notice        <session>/<step>/<due>                 the notice itself
//   notice.open   <principal>/<effective_at>/<id>        those not over, in the order they take effect
//   notice.show   <principal>/<next showing>/<id>        those still to be shown, in the order they are
// The last two hold the key of the first, and are moved in the same transaction. Principals stand there as digests: they are
// foreign text.

#include "session/life/notices.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::session {

namespace {

constexpr std::string_view kNotices = "notice", kOpen = "notice.open", kShow = "notice.show";
constexpr std::size_t kIdLength = 12;
constexpr std::size_t kNoticePage = 200;
constexpr std::size_t kCountedAtMost = 1000;  // "more" is a number for a person
constexpr Millis kKeptWhenOver = 30 * kDay;   // what has happened can be looked up for a while

std::string whose(std::string_view principal) {
  constexpr std::size_t kDigestHex = 32;
  return to_hex(sha256(principal)).substr(0, kDigestHex);
}

std::string padded(Millis time) {
  return fmt::format("{:019}", std::max<Millis>(time, 0));
}

std::string key_of(std::string_view session, const NextStep& step) {
  return fmt::format("{}/{}/{}", session, name_of(step.step), padded(step.due));
}

std::string key_of(const Notice& notice) {
  return key_of(notice.session, {notice.step, notice.due_at});
}

std::string open_key(const Notice& notice) {
  return fmt::format("{}/{}/{}", whose(notice.principal), padded(notice.effective_at), notice.id);
}

// When it is to be shown next: at once, then a day after it was shown.
Millis next_showing(const Notice& notice) {
  return notice.delivered_at ? *notice.delivered_at + kShowEvery : notice.created_at;
}

std::string show_key(const Notice& notice) {
  return fmt::format("{}/{}/{}", whose(notice.principal), padded(next_showing(notice)), notice.id);
}

// The time in a key of kOpen or kShow.
Millis time_in(std::string_view key) {
  const std::size_t first = key.find('/');
  if (first == std::string_view::npos) return 0;
  Millis time = 0;
  std::from_chars(key.data() + first + 1, key.data() + key.size(), time);
  return time;
}

Json to_value(const Notice& notice) {
  JsonObject value{{"id", notice.id},
                   {"session", notice.session},
                   {"kind", notice.kind},
                   {"principal", notice.principal},
                   {"step", name_of(notice.step)},
                   {"due_at", notice.due_at},
                   {"effective_at", notice.effective_at},
                   {"created_at", notice.created_at},
                   {"state", name_of(notice.state)}};
  if (notice.delivered_at) value["delivered_at"] = *notice.delivered_at;
  if (notice.acked_at) value["acked_at"] = *notice.acked_at;
  return value;
}

std::optional<Notice> from_value(const Json& value) {
  if (!value.is_object()) return std::nullopt;
  const JsonObject& fields = value.get_object();
  const auto text = [&](std::string_view key) { return std::string(find_string(fields, key).value_or("")); };
  Notice notice;
  notice.id = text("id");
  notice.session = text("session");
  notice.kind = text("kind");
  notice.principal = text("principal");
  const auto step = parse_step(text("step"));
  if (!step || notice.session.empty()) return std::nullopt;
  notice.step = *step;
  notice.due_at = find_int(fields, "due_at").value_or(0);
  notice.effective_at = find_int(fields, "effective_at").value_or(0);
  notice.created_at = find_int(fields, "created_at").value_or(0);
  notice.delivered_at = find_int(fields, "delivered_at");
  notice.acked_at = find_int(fields, "acked_at");
  const std::string state = text("state");
  for (const Notice::State each : {Notice::State::open, Notice::State::done, Notice::State::obsolete})
    if (name_of(each) == state) notice.state = each;
  return notice;
}

Result<std::optional<Notice>> read_notice(Reader& reader, std::string_view key) {
  HF_TRY(const auto kept, reader.value(kNotices, key));
  if (!kept) return std::nullopt;
  return from_value(kept->value);
}

// Writes it and the rows that lead to it.
Result<void> put_open(Transaction& transaction, const Notice& notice) {
  const std::string key = key_of(notice);
  HF_CHECK(transaction.put(kNotices, key, to_value(notice)));
  HF_CHECK(transaction.put(kOpen, open_key(notice), Json(key)));
  if (!notice.acked_at) HF_CHECK(transaction.put(kShow, show_key(notice), Json(key)));
  return {};
}

Result<void> drop_rows(Transaction& transaction, const Notice& notice) {
  HF_CHECK(transaction.erase(kOpen, open_key(notice)));
  HF_CHECK(transaction.erase(kShow, show_key(notice)));
  return {};
}

Result<std::vector<Notice>> notices_of(Reader& reader, std::string_view session) {
  std::vector<Notice> found;
  ValueQuery query{std::string(kNotices), fmt::format("{}/", session), {}, kNoticePage};
  while (true) {
    HF_TRY(const auto page, reader.values(query));
    for (const KeyedValue& value : page)
      if (auto notice = from_value(value.value)) found.push_back(std::move(*notice));
    if (page.size() < kNoticePage) return found;
    query.after = page.back().key;
  }
}

std::string_view what_happens(Step step) {
  switch (step) {
    case Step::archive:
      return "archived";
    case Step::remove:
      return "deleted (and can be restored for a while)";
    case Step::purge:
      return "erased for good";
  }
  return "archived";
}

std::string_view what_keeps(Step step) {
  switch (step) {
    case Step::archive:
      return "Using or pinning it keeps it.";
    case Step::remove:
      return "Unarchiving or pinning it keeps it.";
    case Step::purge:
      return "Restoring or pinning it keeps it.";
  }
  return {};
}

std::string text_about(const Notice& notice, std::string_view name) {
  return fmt::format("{} will be {} on {}. {}", name, what_happens(notice.step), iso8601(notice.effective_at),
                     what_keeps(notice.step));
}

// False when it says nothing true any more: the session was used since, or is gone. The store keeps due_at up to date with every
// write, so a message need not look for notices.
Result<bool> add_text(Reader& reader, Notice& notice) {
  const auto record = reader.get(notice.session);
  if (!record) {
    if (record.error().kind == ErrorKind::not_found) return false;
    return fail(record.error());
  }
  if (record->due_at != notice.due_at) return false;
  notice.text = text_about(notice, fmt::format("{} {} '{}'", notice.kind, notice.session, shown_title(*record)));
  return true;
}

// Keeps what was, for looking it up, and takes it out of what is shown.
Result<void> put_over(Transaction& transaction, Notice notice, Notice::State state) {
  HF_CHECK(drop_rows(transaction, notice));
  notice.state = state;
  HF_CHECK(transaction.put(kNotices, key_of(notice), to_value(notice), Expect::anything(), transaction.now() + kKeptWhenOver));
  return {};
}

}  // namespace

std::string_view name_of(Notice::State state) {
  switch (state) {
    case Notice::State::open:
      return "open";
    case Notice::State::done:
      return "done";
    case Notice::State::obsolete:
      return "obsolete";
  }
  return "open";
}

Result<std::optional<Notice>> open_notice(Reader& reader, std::string_view session, const NextStep& step) {
  HF_TRY(auto notice, read_notice(reader, key_of(session, step)));
  if (notice && notice->state != Notice::State::open) return std::nullopt;
  return notice;
}

Result<Notice> announce(Transaction& transaction, const SessionRecord& record, const NextStep& step,
                        const RetentionPolicy& policy) {
  HF_CHECK(close_notices(transaction, record, std::nullopt));
  Notice notice;
  notice.id = "ntc-" + random_base62(kIdLength);
  notice.session = record.id;
  notice.kind = record.kind;
  notice.principal = record.principal;
  notice.step = step.step;
  notice.due_at = step.due;
  notice.created_at = transaction.now();
  notice.effective_at = std::max(step.due, notice.created_at + policy.notice_min);
  HF_CHECK(put_open(transaction, notice));
  if (record.kind == kThread) {
    NewEntry entry;
    entry.type = "notice";
    entry.text = text_about(notice, "This thread");
    entry.data = to_json(JsonObject{{"role", "system"}, {"notice", notice.id}});
    entry.touch = Touch::nothing;
    HF_CHECK(transaction.append(record.id, std::move(entry)));
  }
  return notice;
}

Result<void> close_notices(Transaction& transaction, const SessionRecord& record, std::optional<Step> taken) {
  HF_TRY(const auto notices, notices_of(transaction, record.id));
  for (const Notice& notice : notices) {
    if (notice.state != Notice::State::open) continue;
    HF_CHECK(put_over(transaction, notice, taken == notice.step ? Notice::State::done : Notice::State::obsolete));
  }
  return {};
}

Result<void> forget_notices(Transaction& transaction, std::string_view session) {
  HF_TRY(const auto notices, notices_of(transaction, session));
  for (const Notice& notice : notices) {
    HF_CHECK(drop_rows(transaction, notice));
    HF_CHECK(transaction.erase(kNotices, key_of(notice)));
  }
  return {};
}

Result<NoticeList> list_notices(Reader& reader, std::string_view principal, bool all, std::size_t limit) {
  NoticeList list;
  ValueQuery query{std::string(kOpen), whose(principal) + "/", {}, kNoticePage};
  while (list.notices.size() + list.more < std::max(limit, kCountedAtMost)) {
    HF_TRY(const auto page, reader.values(query));
    for (const KeyedValue& row : page) {
      if (!row.value.is_string()) continue;
      HF_TRY(auto notice, read_notice(reader, std::string_view(row.value.get_string())));
      if (!notice || notice->principal != principal || (notice->acked_at && !all)) continue;
      HF_TRY(const bool true_still, add_text(reader, *notice));
      if (!true_still) continue;
      if (list.notices.size() < limit)
        list.notices.push_back(std::move(*notice));
      else
        ++list.more;
    }
    if (page.size() < kNoticePage) break;
    query.after = page.back().key;
  }
  return list;
}

namespace {

// Of a session that this call does not see: it is somebody else's to be told of.
bool is_hidden(Reader& reader, const std::optional<Notice>& notice) {
  if (!notice) return false;
  const auto record = reader.get(notice->session);
  return !record && record.error().kind == ErrorKind::not_found && record.error().code != "gone";
}

}  // namespace

Result<NoticeList> take_notices(Store& store, std::string_view principal, Millis now) {
  const std::string prefix = whose(principal) + "/";
  HF_TRY(const auto first, store.values({std::string(kShow), prefix, {}, 1}));
  if (first.empty() || time_in(first.front().key) > now) return NoticeList{};
  return store.write([&](Transaction& transaction) -> Result<NoticeList> {
    NoticeList taken;
    HF_TRY(const auto rows, transaction.values({std::string(kShow), prefix, {}, kCountedAtMost}));
    for (const KeyedValue& row : rows) {
      if (time_in(row.key) > now || !row.value.is_string()) break;
      HF_TRY(auto notice, read_notice(transaction, std::string_view(row.value.get_string())));
      if (is_hidden(transaction, notice)) continue;
      if (taken.notices.size() == kShownAtOnce) {
        ++taken.more;
        continue;
      }
      HF_CHECK(transaction.erase(kShow, row.key));
      if (!notice || notice->state != Notice::State::open || notice->principal != principal) continue;
      HF_TRY(const bool true_still, add_text(transaction, *notice));
      if (!true_still) {
        HF_CHECK(put_over(transaction, *std::move(notice), Notice::State::obsolete));
        continue;
      }
      notice->delivered_at = now;
      HF_CHECK(put_open(transaction, *notice));
      taken.notices.push_back(std::move(*notice));
    }
    return taken;
  });
}

Result<std::size_t> acknowledge(Store& store, std::string_view principal, const std::vector<std::string>& ids) {
  return store.write([&](Transaction& transaction) -> Result<std::size_t> {
    std::size_t count = 0;
    ValueQuery query{std::string(kShow), whose(principal) + "/", {}, kNoticePage};
    while (true) {
      HF_TRY(const auto page, transaction.values(query));
      for (const KeyedValue& row : page) {
        if (!row.value.is_string()) continue;
        HF_TRY(auto notice, read_notice(transaction, std::string_view(row.value.get_string())));
        if (!notice || notice->principal != principal || is_hidden(transaction, notice)) continue;
        if (!ids.empty() && std::ranges::find(ids, notice->id) == ids.end()) continue;
        HF_CHECK(transaction.erase(kShow, row.key));
        notice->acked_at = transaction.now();
        HF_CHECK(put_open(transaction, *notice));
        ++count;
      }
      if (page.size() < kNoticePage) return count;
      query.after = page.back().key;
    }
  });
}

JsonObject notice_json(const Notice& notice) {
  JsonObject fields{{"id", notice.id},
                    {"session_id", notice.session},
                    {"type", notice.kind},
                    {"action", name_of(notice.step)},
                    {"due_at", iso8601(notice.due_at)},
                    {"effective_at", iso8601(notice.effective_at)},
                    {"created_at", iso8601(notice.created_at)},
                    {"state", name_of(notice.state)},
                    {"text", notice.text}};
  fields["delivered_at"] = notice.delivered_at ? Json(iso8601(*notice.delivered_at)) : Json(nullptr);
  fields["acked_at"] = notice.acked_at ? Json(iso8601(*notice.acked_at)) : Json(nullptr);
  return fields;
}

}  // namespace holdfast::session
