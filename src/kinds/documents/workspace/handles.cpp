// The story of this file. A model says with every call which session it is by a handle, a secret that stands in its context;
// what it has read is kept with that session, so that nobody edits what they have not seen. In goes a handle; out comes what
// it stands for (Opened), or one of three refusals that each say what to do. The order in open() matters:
//   1. Who guesses is slowed down before anything is looked up, but not for handles that have held before: other
//      conversations of the same principal must go on.
//   2. The store is asked by the handle's hash, since the store must not be able to leak handles. Another principal's is
//      answered like an unknown one, or the answer would tell that it exists.
//   3. Only then is it asked whether it is over, by its age or because its session was ended or deleted; "expired" and
//      "unknown" want different things of a model. One that ran out is marked so at once, for lists, by whoever notices.
//   4. A handle in use lives on. The time is written rarely, and only over the value that was read: two calls side by side
//      must not bring back a handle that a third has just ended.
// A session outlives its handle: resuming it mints another one, ends the old one in the same transaction, so that never two
// hold, and takes what was read out of the log. Sweeping does the same for those nobody asks about any more.

#include "kinds/documents/workspace/handles.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace holdfast::documents {

namespace {

using session::Transaction;

// Keyed values: what a handle stands for, under its hash; and what a session has read, under the document's hash first, so that a
// document that moves takes all of them along.
constexpr std::string_view kHandleSpace = "documents.handle";
constexpr std::string_view kReadSpace = "documents.read";
// Which session who reads without a handle shares: how many of them there were on this day.
constexpr std::string_view kSharedSpace = "documents.shared";
constexpr std::string_view kSwept = "swept";  // in it: when that was done last

constexpr std::size_t kHandleCharacters = 26;  // of 5 bits each: 130
constexpr std::size_t kLabelCharacters = 8;
constexpr std::size_t kAuthorCharacters = 60;
constexpr std::size_t kTitleDocuments = 3;        // that a title names
constexpr std::size_t kTitlePathCharacters = 60;  // of each
constexpr Millis kDay = 86'400'000;
// Entries of a log that are looked through for what a session had read; who has read more reads again.
constexpr std::size_t kLogPage = 500, kMaxLogPages = 20;
// How long "expired" can be told from "unknown": as long as a chat log is likely to be taken up again.
constexpr Millis kTombstone = 180LL * 86'400'000;
// A handle in use is written again at most this often; as a share of its life, so that a short one is kept as exactly.
constexpr Millis kRefreshShare = 100;
constexpr Millis kRefreshEvery = 60'000;

std::string hash_of(std::string_view text) {
  return to_hex(sha256(text));
}

std::string read_key(std::string_view document, std::string_view label) {
  return fmt::format("{}/{}", hash_of(document), label);
}

Error expired_handle() {
  return make_error(
      ErrorKind::refused, "this session_id has expired",
      "call create_session for a new one (with resume to keep what was read), or read without session_id; then read "
      "the document again",
      "session_expired");
}
Error unknown_handle() {
  return make_error(ErrorKind::refused, "this session_id is not known",
                    "call create_session, or read without session_id, then read the document again", "session_unknown");
}

// The person's name as it may stand in the document: no characters that end metadata, no line breaks.
std::string author_label(std::string_view name) {
  std::string clean;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '"' && c != '\\') clean += c;
  const std::string_view trimmed = trim(clean);
  if (trimmed.empty()) return "AI";
  constexpr std::string_view kSuffix = "'s AI";
  std::string_view cut = trimmed;
  while (utf8_length(cut) + kSuffix.size() > kAuthorCharacters) cut = utf8_prefix(cut, cut.size() - 1);
  return fmt::format("{}{}", trim(cut), kSuffix);
}

std::string author_id(std::string_view principal, std::string_view author) {
  return short_hash(fmt::format("{}\n{}", principal, author));
}

struct StoredHandle {
  std::string principal, label, author;
  Millis last = 0;
  bool ended = false;
};

// Of one that is over only what tells it from an unknown one.
Json to_value(const StoredHandle& handle) {
  if (handle.ended) return JsonObject{{"principal", handle.principal}, {"ended", true}};
  return JsonObject{{"principal", handle.principal},
                    {"label", handle.label},
                    {"author", handle.author},
                    {"last", handle.last},
                    {"ended", handle.ended}};
}

std::optional<StoredHandle> from_value(const Json& value) {
  if (!value.is_object()) return std::nullopt;
  const JsonObject& object = value.as_object();
  StoredHandle handle;
  handle.principal = find_string(object, "principal").value_or("");
  handle.label = find_string(object, "label").value_or("");
  handle.author = find_string(object, "author").value_or("AI");
  handle.last = find_int(object, "last").value_or(0);
  handle.ended = find_bool(object, "ended").value_or(false);
  return handle;
}

// An instant in the future counts as now: a clock that was set back must not end anything.
bool is_over(const StoredHandle& handle, Millis now, Millis ttl) {
  return handle.ended || now - handle.last > ttl;
}

Result<void> put_handle(Transaction& transaction, std::string_view hash, const StoredHandle& handle, Millis ttl) {
  HF_CHECK(transaction.put(kHandleSpace, hash, to_value(handle), {}, transaction.now() + ttl + kTombstone));
  return {};
}

// A handle that only this store can make: from something that is said once.
std::string derived_handle(const std::string& secret, std::string_view said) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  const Digest digest = hmac_sha256(secret, fmt::format("{}\n{}", kSharedSpace, said));
  std::string handle = "s_";
  for (std::size_t i = 0; i < kHandleCharacters; ++i) handle += kAlphabet[digest[i] % kAlphabet.size()];
  return handle;
}

// "kelp.md, notes/b.md and 2 more"
std::string title_of_read(const JsonArray& first, std::int64_t count) {
  std::string title;
  for (const Json& path : first)
    if (path.is_string())
      title += fmt::format("{}{}", title.empty() ? "" : ", ", shorten(view(path.as_string()), kTitlePathCharacters));
  const auto more = count - static_cast<std::int64_t>(first.size());
  return more > 0 ? fmt::format("{} and {} more", title, more) : title;
}

// A shared session gets its title from the documents that it has read.
Result<void> note_first_read(Transaction& transaction, std::string_view label, std::string_view path) {
  HF_TRY(auto record, transaction.get(label));
  if (find_bool(record.data, "shared") != true) return {};
  const JsonArray* known = find_array(record.data, "read");
  JsonArray first = known ? *known : JsonArray();
  if (first.size() < kTitleDocuments) first.emplace_back(path);
  const std::int64_t count = find_int(record.data, "documents").value_or(0) + 1;
  record.title = title_of_read(first, count);
  record.data["read"] = std::move(first);
  record.data["documents"] = count;
  HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
  return {};
}

// What a session had read before it was over, out of its log, the newest first.
Result<void> restore_reads(Transaction& transaction, std::string_view label) {
  session::EntryQuery query;
  query.session = label;
  query.types = {"read", "proposed"};
  query.limit = kLogPage;
  query.direction = session::Direction::backward;
  for (std::size_t page = 0; page < kMaxLogPages; ++page) {
    HF_TRY(const session::EntryPage found, transaction.entries(query));
    for (const session::Entry& entry : found.entries) {
      const auto parsed = parse_json(entry.data);
      if (!parsed || !parsed->is_object()) continue;
      const JsonObject& data = parsed->as_object();
      const auto document = find_string(data, "document"), version = find_string(data, "version");
      if (!document || !version) continue;
      const std::string key = fmt::format("{}/{}", *document, label);
      HF_TRY(const auto known, transaction.value(kReadSpace, key));
      if (known) continue;
      JsonObject value{{"version", *version}};
      for (const char* name : {"first", "last", "time"})
        if (const auto number = find_int(data, name)) value[name] = *number;
      HF_CHECK(transaction.put(kReadSpace, key, value));
    }
    if (!found.next) break;
    query.from = *found.next;
  }
  return {};
}

// The old handle of a session that gets a new one, or is ended.
Result<void> end_handle(Transaction& transaction, std::string_view hash, Millis ttl) {
  HF_TRY(const auto stored, transaction.value(kHandleSpace, hash));
  auto handle = stored ? from_value(stored->value) : std::nullopt;
  if (!handle) return {};
  handle->ended = true;
  return put_handle(transaction, hash, *handle, ttl);
}

Result<session::SessionRecord> new_record(Transaction& transaction, const HandleRequest& request, const StoredHandle& handle,
                                          const std::string& hash, bool shared = false) {
  session::SessionRecord record;
  record.id = handle.label;
  record.kind = session::kDocument;
  record.status = "open";
  record.title = fmt::format("Documents, {}", handle.author);
  record.principal = request.who.principal;
  record.client = request.client;
  record.root_uri = request.root_uri;
  record.data = {{"author", handle.author}, {"model", request.model}, {"handle", hash}};
  if (shared) record.data["shared"] = true;
  return transaction.create(std::move(record));
}

// A session found by its label goes on with a new handle.
Result<session::SessionRecord> resume_record(Transaction& transaction, const HandleRequest& request, const std::string& hash,
                                             Millis ttl) {
  const auto refused = [&] {
    return fail(ErrorKind::not_found, fmt::format("there is no document session {} of yours", request.resume),
                "session with operation list and type document shows them; without resume a new one is made", "session_unknown");
  };
  auto record = session::find_session(transaction, request.who.principal, request.resume);
  if (!record && record.error().kind != ErrorKind::not_found) return fail(record.error());
  if (!record || record->kind != session::kDocument || record->visibility == session::Visibility::deleted) return refused();
  if (const auto old = find_string(record->data, "handle")) HF_CHECK(end_handle(transaction, *old, ttl));
  if (record->status != "open") HF_CHECK(restore_reads(transaction, record->id));
  record->status = "open";
  record->data["handle"] = hash;
  if (!request.model.empty()) record->data["model"] = request.model;
  return transaction.update(*std::move(record), session::Touch::activity);
}

}  // namespace

std::string short_hash(std::string_view handle_or_label) {
  constexpr std::size_t kShown = 12;
  return hash_of(handle_or_label).substr(0, kShown);
}

Result<Opened> Handles::create(const HandleRequest& request) {
  Opened opened;
  opened.handle = "s_" + random_base32(kHandleCharacters);
  const std::string hash = hash_of(opened.handle);
  const std::string label = "doc-" + random_base32(kLabelCharacters);
  session::StoreView view(stores_, request.who);
  sweep_if_due();
  return view.write([&](Transaction& transaction) -> Result<Opened> {
    StoredHandle handle{request.who.principal, label, author_label(request.name), clock_.now(), false};
    if (request.resume.empty()) {
      HF_CHECK(new_record(transaction, request, handle, hash));
    } else {
      HF_TRY(const auto record, resume_record(transaction, request, hash, ttl_));
      handle.label = record.id;
      if (request.name.empty()) handle.author = find_string(record.data, "author").value_or("AI");
    }
    HF_CHECK(put_handle(transaction, hash, handle, ttl_));
    return Opened{opened.handle, handle.label, handle.author, author_id(request.who.principal, handle.author)};
  });
}

Result<Opened> Handles::create_shared(const HandleRequest& request) {
  const std::string& principal = request.who.principal;
  // Who sees other projects has a session of their own: one that they do not see would be taken for one that was ended.
  const std::string key = hash_of(fmt::format("{}\n{}\n{}\n{}\n{}", principal, request.client, request.root_uri,
                                              clock_.now() / kDay, fmt::join(request.who.projects, "\n")));
  const auto handle_of = [&](std::int64_t number) { return derived_handle(store_.secret(), fmt::format("{}\n{}", key, number)); };
  const auto number_in = [](const std::optional<session::KeyedValue>& stored) {
    return stored && stored->value.is_object() ? find_int(stored->value.as_object(), "number").value_or(0) : 0;
  };
  HF_TRY(const auto stored, store_.value(kSharedSpace, key));
  if (const std::int64_t number = number_in(stored); number > 0) {
    auto opened = open(request.who, handle_of(number));
    if (!opened && opened.error().kind != ErrorKind::refused) return opened;
    if (opened) {
      opened->handle = handle_of(number);
      return opened;
    }
  }
  // The first one of the day; or theirs was ended, or taken up by its label.
  sweep_if_due();
  const std::string label = "doc-" + random_base32(kLabelCharacters);
  session::StoreView view(stores_, request.who);
  return view.write([&](Transaction& transaction) -> Result<Opened> {
    HF_TRY(const auto known, transaction.value(kSharedSpace, key));
    std::int64_t number = number_in(known);
    if (number > number_in(stored)) {
      // Another call was first.
      HF_TRY(const auto theirs, transaction.value(kHandleSpace, hash_of(handle_of(number))));
      if (const auto handle = theirs ? from_value(theirs->value) : std::nullopt; handle && !is_over(*handle, clock_.now(), ttl_))
        return Opened{handle_of(number), handle->label, handle->author, author_id(principal, handle->author)};
    }
    ++number;
    const StoredHandle handle{principal, label, author_label(request.name), clock_.now(), false};
    const std::string hash = hash_of(handle_of(number));
    HF_CHECK(new_record(transaction, request, handle, hash, true));
    HF_CHECK(put_handle(transaction, hash, handle, ttl_));
    HF_CHECK(transaction.put(kSharedSpace, key, JsonObject{{"number", number}}, {}, transaction.now() + 2 * kDay));
    return Opened{handle_of(number), label, handle.author, author_id(principal, handle.author)};
  });
}

Result<Opened> Handles::open(const Identity& who, std::string_view handle) {
  if (handle.empty())
    return fail(ErrorKind::refused, "session_id is required",
                "call create_session, or read without session_id; both answer with a line [session: ...]", "session_required");
  const std::string& principal = who.principal;
  session::StoreView view(stores_, who);
  const std::string hash = hash_of(handle);
  if (const auto wait = misses_.wait_for(principal, hash); wait.count() > 0)
    return fail(ErrorKind::refused, "too many session_ids that are not known",
                fmt::format("wait {} s, then call create_session", wait.count()), "session_unknown");
  HF_TRY(const auto stored, store_.value(kHandleSpace, hash));
  const auto known = stored ? from_value(stored->value) : std::nullopt;
  if (!known || known->principal != principal) {
    misses_.note_miss(principal);
    return fail(unknown_handle());
  }
  misses_.note_hit(hash);
  const Millis now = clock_.now();
  if (is_over(*known, now, ttl_)) {
    // So that lists say so at once.
    if (!known->ended) HF_CHECK(view.write([&](Transaction& transaction) { return expire(transaction, hash, ttl_); }));
    return fail(expired_handle());
  }
  const auto record = view.get(known->label);
  if (!record && record.error().kind != ErrorKind::not_found) return fail(record.error());
  if (!record || record->visibility == session::Visibility::deleted) return fail(expired_handle());
  if (now - known->last > std::min(kRefreshEvery, ttl_ / kRefreshShare)) {
    StoredHandle used = *known;
    used.last = now;
    // Somebody else may have ended or used it meanwhile; then theirs stands.
    const auto refreshed = store_.write([&](Transaction& transaction) -> Result<session::KeyedValue> {
      return transaction.put(kHandleSpace, hash, to_value(used), session::Expect::at(stored->rev), now + ttl_ + kTombstone);
    });
    if (!refreshed && refreshed.error().kind != ErrorKind::conflict) return fail(refreshed.error());
  }
  return Opened{{}, known->label, known->author, author_id(principal, known->author)};
}

Result<void> Handles::end(const Identity& who, std::string_view handle) {
  HF_TRY(const Opened opened, open(who, handle));
  session::StoreView view(stores_, who);
  return view.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(end_handle(transaction, hash_of(handle), ttl_));
    HF_TRY(auto record, transaction.get(opened.label));
    record.status = "ended";
    HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
    return {};
  });
}

Result<void> Handles::note_read(const Opened& opened, const Place& place, const ReadRecord& read) {
  const JsonObject value{{"version", read.version}, {"first", read.first_line}, {"last", read.last_line}, {"time", read.time}};
  const std::string key = read_key(place.key, opened.label);
  return store_.write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(const auto before, transaction.value(kReadSpace, key));
    HF_CHECK(transaction.put(kReadSpace, key, value));
    if (!before) HF_CHECK(note_first_read(transaction, opened.label, place.path));
    session::NewEntry entry;
    entry.type = "read";
    entry.author = opened.author;
    entry.text = place.path;
    JsonObject data = value;
    data["document"] = hash_of(place.key);
    entry.data = to_json(data);
    HF_CHECK(transaction.append(opened.label, std::move(entry)));
    return {};
  });
}

Result<std::optional<ReadRecord>> Handles::last_read(const Opened& opened, std::string_view key) {
  HF_TRY(const auto stored, store_.value(kReadSpace, read_key(key, opened.label)));
  if (!stored || !stored->value.is_object()) return std::nullopt;
  const JsonObject& object = stored->value.as_object();
  return ReadRecord{std::string(find_string(object, "version").value_or("")), find_int(object, "first").value_or(0),
                    find_int(object, "last").value_or(0), find_int(object, "time").value_or(0)};
}

Result<void> Handles::put_version(Transaction& transaction, std::string_view label, std::string_view key,
                                  std::string_view version, Millis now) {
  const std::string place = read_key(key, label);
  HF_TRY(auto stored, transaction.value(kReadSpace, place));
  JsonObject value = stored && stored->value.is_object() ? stored->value.as_object() : JsonObject{{"time", now}};
  value["version"] = version;
  HF_CHECK(transaction.put(kReadSpace, place, value));
  return {};
}

Result<void> Handles::keep_version(const Opened& opened, std::string_view key, std::string_view version) {
  return store_.write(
      [&](Transaction& transaction) { return put_version(transaction, opened.label, key, version, clock_.now()); });
}

Result<void> Handles::note_moved(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::vector<std::pair<std::string, std::string>> read;
  for (const auto& each : keys) {
    HF_TRY(const auto known, store_.values({std::string(kReadSpace), hash_of(each.first) + '/', {}, 1}));
    if (!known.empty()) read.push_back(each);
  }
  if (read.empty()) return {};
  return store_.write([&](Transaction& transaction) -> Result<void> {
    for (const auto& [from, to] : read) {
      const std::string prefix = hash_of(from) + '/';
      HF_TRY(const auto values, transaction.values({std::string(kReadSpace), prefix, {}, kMaxReaders}));
      for (const session::KeyedValue& value : values) {
        HF_CHECK(transaction.put(kReadSpace, read_key(to, value.key.substr(prefix.size())), value.value));
        HF_CHECK(transaction.erase(kReadSpace, value.key));
      }
    }
    return {};
  });
}

Result<void> Handles::forget(std::string_view key) {
  const std::string prefix = hash_of(key) + '/';
  HF_TRY(const auto known, store_.values({std::string(kReadSpace), prefix, {}, 1}));
  if (known.empty()) return {};
  return store_.write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(const auto values, transaction.values({std::string(kReadSpace), prefix, {}, kMaxReaders}));
    for (const session::KeyedValue& value : values) HF_CHECK(transaction.erase(kReadSpace, value.key));
    return {};
  });
}

Result<void> Handles::forget_read(const Opened& opened, std::string_view key) {
  return store_.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.erase(kReadSpace, read_key(key, opened.label)));
    return {};
  });
}

namespace {

Result<void> append_entry(Transaction& transaction, std::string_view label, std::string_view type, std::string_view text,
                          const JsonObject& data) {
  session::NewEntry entry;
  entry.type = type;
  entry.text = text;
  entry.data = to_json(data);
  HF_CHECK(transaction.append(label, std::move(entry)));
  return {};
}

}  // namespace

Result<void> Handles::note(std::string_view label, std::string_view type, std::string text, const JsonObject& data) {
  return store_.write([&](Transaction& transaction) { return append_entry(transaction, label, type, text, data); });
}

Result<void> Handles::note_version(const Opened& opened, std::string_view type, std::string text, const JsonObject& data,
                                   std::string_view key, std::string_view version) {
  JsonObject known = data;
  known["document"] = hash_of(key);
  known["version"] = version;
  return store_.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(put_version(transaction, opened.label, key, version, clock_.now()));
    return append_entry(transaction, opened.label, type, text, known);
  });
}

Result<std::size_t> Handles::sweep() {
  std::size_t ended = 0;
  std::string after;
  constexpr std::size_t kBatch = 500;
  while (true) {
    HF_TRY(const auto values, store_.values({std::string(kHandleSpace), {}, after, kBatch}));
    for (const session::KeyedValue& value : values) {
      after = value.key;
      const auto handle = from_value(value.value);
      if (!handle || handle->ended || !is_over(*handle, clock_.now(), ttl_)) continue;
      HF_TRY(const bool changed, store_.write([&](Transaction& transaction) { return expire(transaction, value.key, ttl_); }));
      if (changed) ++ended;
    }
    if (values.size() < kBatch) break;
  }
  HF_CHECK(forget_reads_of_ended());
  return ended;
}

void Handles::sweep_if_due() {
  const Millis now = clock_.now();
  const auto due = [&]() -> Result<bool> {
    HF_TRY(const auto last, store_.value(kSharedSpace, kSwept));
    const auto age = last && last->value.is_int64() ? now - last->value.get_int64() : kSweepEvery;
    if (age >= 0 && age < kSweepEvery) return false;
    return store_.write([&](Transaction& transaction) -> Result<bool> {
      HF_CHECK(transaction.put(kSharedSpace, kSwept, Json(now)));
      return true;
    });
  }();
  if (due && !*due) return;
  const auto swept = due ? sweep() : Result<std::size_t>(fail(due.error()));
  if (!swept) log(LogLevel::warn, "documents", "sessions do not expire for now: " + swept.error().message);
}

// The log has it for who takes the session up again.
Result<void> Handles::forget_reads_of_ended() {
  constexpr std::size_t kBatch = 500;
  constexpr std::string_view kLabelPrefix = "doc-";  // others are marks of documents, not of sessions
  std::map<std::string, bool, std::less<>> is_open;  // by label
  const auto ask = [](session::Reader& reader, std::string_view label) -> Result<bool> {
    const auto record = reader.get(label);
    if (!record && record.error().kind != ErrorKind::not_found) return fail(record.error());
    return record && record->status == "open";
  };
  std::string after;
  while (true) {
    HF_TRY(const auto values, store_.values({std::string(kReadSpace), {}, after, kBatch}));
    std::vector<std::pair<std::string, std::string>> gone;  // label, key
    for (const session::KeyedValue& value : values) {
      after = value.key;
      std::string label = value.key.substr(value.key.find('/') + 1);
      if (!label.starts_with(kLabelPrefix)) continue;
      auto known = is_open.find(label);
      if (known == is_open.end()) {
        HF_TRY(const bool open_now, ask(store_, label));
        known = is_open.emplace(label, open_now).first;
      }
      if (!known->second) gone.emplace_back(std::move(label), value.key);
    }
    const auto forget_all = [&](Transaction& transaction) -> Result<void> {
      for (const auto& [label, key] : gone) {
        // It may have been taken up again since.
        HF_TRY(const bool open_now, ask(transaction, label));
        if (!open_now) HF_CHECK(transaction.erase(kReadSpace, key));
      }
      return {};
    };
    if (!gone.empty()) HF_CHECK(store_.write(forget_all));
    if (values.size() < kBatch) return {};
  }
}

// Looks again: it may have been used since, by another process.
Result<bool> Handles::expire(session::Transaction& transaction, std::string_view hash, Millis ttl) {
  HF_TRY(const auto stored, transaction.value(kHandleSpace, hash));
  auto handle = stored ? from_value(stored->value) : std::nullopt;
  if (!handle || handle->ended || !is_over(*handle, transaction.now(), ttl)) return false;
  handle->ended = true;
  HF_CHECK(put_handle(transaction, hash, *handle, ttl));
  auto record = transaction.get(handle->label);
  if (!record || record->status != "open") return true;
  record->status = "expired";
  HF_CHECK(transaction.update(*std::move(record), session::Touch::change));
  return true;
}

namespace {

constexpr std::size_t kMaxKnown = 10'000;  // conversations of one process; beyond, old ones are looked up like new ones

using MissTime = std::chrono::steady_clock;

}  // namespace

std::chrono::seconds MissLimit::wait_for(std::string_view principal, std::string_view handle_hash) {
  const std::lock_guard lock(mutex_);
  const auto misses = misses_.find(principal);
  if (misses == misses_.end() || misses->second.count < kMisses || known_.contains(handle_hash)) return {};
  const auto over = misses->second.since + kWindow;
  if (MissTime::now() < over) return std::chrono::ceil<std::chrono::seconds>(over - MissTime::now());
  misses_.erase(misses);
  return {};
}

void MissLimit::note_hit(std::string_view handle_hash) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(handle_hash);
}

void MissLimit::note_miss(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  Misses& misses = misses_[std::string(principal)];
  if (misses.count == 0 || MissTime::now() >= misses.since + kWindow) misses = {MissTime::now(), 0};
  ++misses.count;
}

}  // namespace holdfast::documents
