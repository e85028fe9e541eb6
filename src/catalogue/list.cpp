#include "catalogue/list.h"

#include "base/crypto/hash.h"
#include "catalogue/listed_transcripts.h"
#include "session/limits.h"
#include "session/query/cursor.h"
#include "session/query/known_damage.h"

#include <algorithm>

namespace holdfast::catalogue {

namespace {

bool wants_stored(const session::Query& query) {
  return query.kinds.empty() ||
         std::ranges::any_of(query.kinds, [](const std::string& kind) { return kind != session::kTranscript; });
}

// Where a page ended in each of the two streams.
struct ListCursor {
  std::optional<ListKey> transcript;  // the last that was looked at; nullopt: none was
  std::string stored;                 // the store's own cursor; empty: at its beginning
  bool stored_over = false;

  static Result<ListCursor> read(std::string_view secret, const session::Query& query) {
    ListCursor cursor;
    if (query.cursor.empty()) return cursor;
    HF_TRY(const session::Position position, session::read_cursor(secret, query));
    // Where there is no store there is no secret either, and a cursor is only what somebody typed.
    if (position.keys[1] < 0 || position.id.size() <= static_cast<std::size_t>(position.keys[1]))
      return fail(ErrorKind::invalid, "the cursor is none of this list", "repeat the call without one to start again",
                  "INVALID_CURSOR");
    const auto id_length = static_cast<std::size_t>(position.keys[1]);
    if (id_length > 0) cursor.transcript = ListKey{position.keys[0], position.id.substr(0, id_length)};
    cursor.stored = position.id.substr(id_length + 1);
    cursor.stored_over = position.keys[2] != 0;
    return cursor;
  }
  std::string text(std::string_view secret, const session::Query& query) const {
    session::Position position;
    if (transcript) {
      position.keys = {transcript->value, static_cast<std::int64_t>(transcript->id.size())};
      position.id = transcript->id;
    }
    position.keys[2] = stored_over ? 1 : 0;
    position.id += ':' + stored;  // a cursor has some text
    return session::make_cursor(secret, query, position);
  }
};

// The store's sessions from a cursor on, page by page.
class StoredStream {
 public:
  // nullptr: nothing of the store is wanted.
  StoredStream(session::Store* store, session::Query query, const ListCursor& from, std::size_t at_once)
      : store_(store), query_(std::move(query)), over_(!store || from.stored_over) {
    query_.cursor = begin_ = from.stored;
    query_.offset = 0;
    query_.limit = std::clamp<std::size_t>(at_once, 1, session::kMaxListLimit);
  }

  // The next one, left in place; nullptr at the end.
  Result<session::SessionRecord*> peek() {
    if (at_ == items_.size() && !over_) HF_CHECK(turn_page());
    return at_ < items_.size() ? &items_[at_] : nullptr;
  }
  void advance() { ++at_; }

  // All that fit, wherever it stands.
  Result<std::int64_t> total() {
    if (!store_) return 0;
    if (total_ == session::kNotCounted) {
      session::Query all = query_;
      all.cursor.clear();
      all.limit = 1;
      all.count = true;
      HF_TRY(const session::Page page, store_->list(all));
      total_ = page.total;
    }
    return total_;
  }

  // Says where it stands: behind what was passed, however others have changed since.
  Result<void> mark(ListCursor& cursor) {
    cursor.stored_over = over_ && at_ == items_.size();
    cursor.stored = at_ == items_.size() ? query_.cursor : begin_;
    if (at_ == 0 || at_ == items_.size()) return {};
    session::Query passed = query_;
    passed.cursor = begin_;
    passed.limit = at_;
    passed.count = false;
    HF_TRY(session::Page page, store_->list(passed));
    cursor.stored = std::move(page.next_cursor);
    cursor.stored_over = cursor.stored.empty();
    return {};
  }

 private:
  Result<void> turn_page() {
    begin_ = query_.cursor;
    HF_TRY(session::Page page, store_->list(query_));
    session::look_for_damage(*store_, page.items);
    if (query_.count) total_ = page.total;
    query_.count = false;
    items_ = std::move(page.items);
    at_ = 0;
    query_.cursor = page.next_cursor;
    over_ = page.next_cursor.empty();
    return {};
  }

  session::Store* store_;
  session::Query query_;
  std::string begin_;  // of the page that is held
  std::vector<session::SessionRecord> items_;
  std::size_t at_ = 0;
  std::int64_t total_ = session::kNotCounted;
  bool over_;
};

ListKey key_of(const session::SessionRecord& record, session::Sort sort) {
  // The store puts what it cannot read first.
  if (record.damage && record.updated_at == 0) return {sort == session::Sort::due ? 0 : kLastTime, record.id};
  if (sort == session::Sort::due) return {record.due_at.value_or(kLastTime), record.id};
  return {sort == session::Sort::created ? record.created_at : record.updated_at, record.id};
}

Result<Page> list_stored(session::Store& store, const session::Query& query) {
  HF_TRY(session::Page page, store.list(query));
  session::look_for_damage(store, page.items);
  Page listed{{}, page.total, std::move(page.next_cursor), {}};
  for (session::SessionRecord& record : page.items) listed.items.push_back({{record}, record, {}});
  return listed;
}

// Both in one order.
Result<Page> merge(session::Store* store, const Asker& asker, const Filter& filter, const std::string& secret) {
  const session::Query& query = filter.query;
  HF_TRY(ListCursor cursor, ListCursor::read(secret, query));
  StoredStream stored(store, query, cursor, query.offset + query.limit + 1);
  HF_TRY(ListedTranscripts files, ListedTranscripts::gather(asker, filter));
  Page page;
  page.unread = files.unread();
  page.total = session::kNotCounted;
  if (query.count && filter.root_name.empty()) {
    HF_CHECK(stored.peek());  // the first page brings it along
    HF_TRY(const std::int64_t of_store, stored.total());
    page.total = of_store + files.total();
  }
  if (cursor.transcript) files.go_behind(*cursor.transcript);

  std::size_t passed = 0;
  for (std::size_t looked_at = 0;; ++looked_at) {
    HF_TRY(session::SessionRecord* const record, stored.peek());
    if (!record && files.over()) return page;
    const bool is_file = !record || (!files.over() && comes_before(query.sort, files.key(), key_of(*record, query.sort)));
    std::optional<Listed> item;
    if (is_file) {
      item = files.read();
    } else if (name_fits(filter.root_name, record->root_name)) {
      item = Listed{{*record}, *record, {}};
    }
    const bool enough = page.items.size() == query.limit && item;
    if (enough || (filter.look_at_most > 0 && looked_at == filter.look_at_most)) {
      HF_CHECK(stored.mark(cursor));
      page.next_cursor = cursor.text(secret, query);
      return page;
    }
    if (is_file) {
      cursor.transcript = files.key();
      files.advance();
    } else {
      stored.advance();
    }
    if (item && passed++ >= query.offset) page.items.push_back(*std::move(item));
  }
}

}  // namespace

std::vector<std::string> Page::warnings() const {
  std::vector<std::string> told;
  for (const Error& each : unread) told.push_back(each.message);
  return told;
}

Result<Page> list(const Asker& asker, const Filter& filter) {
  session::Query query = filter.query;
  query.limit = std::min(query.limit, session::kMaxListLimit);  // the store's limit; it is asked as often as needed
  HF_CHECK(session::check_query(query));
  session::Store* store = nullptr;
  if (asker.store) {
    HF_TRY(store, asker.store());
  }
  const bool stored = store && wants_stored(filter.query), files = ListedTranscripts::may_fit(asker, filter);
  if (stored && !files && filter.root_name.empty()) return list_stored(*store, filter.query);
  // Its own key: this cursor is none of the store's, and belongs to what the store's conditions do not know.
  const std::string secret(bytes_of(hmac_sha256(store ? store->secret() : "", "all places\n" + filter.root_name)));
  return merge(stored ? store : nullptr, asker, filter, secret);
}

}  // namespace holdfast::catalogue
