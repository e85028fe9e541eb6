// What can die when, and why it still ends well.
//
// An operation's line says which files it will change, with the hashes of their bytes before and behind, and where the new bytes
// wait. It is appended in one write that begins with a line feed: what a crash tore is a line nobody understands, and no other
// line is lost with it. The line is synced before the first document changes, so of an operation that has no line on the disk
// nothing has happened but temporary files, which the sweep after the next boot removes. From then on three deaths are possible.
// While files change places: recovery finds each as before, as behind, or with a person's save in it; the operation is finished
// when all are one of the first two, else taken back, and the save stays. Behind the last change: of several steps "committed" is
// on the disk before anybody is answered, so recovery only clears away. Behind the end: nothing is left to do. Who is at work
// holds a byte of the lock file, which its death frees; who finds the line without its end and gets the byte is the one who ends
// it. A long journal is put aside only when byte 0 says that nobody is at work, and what is still open goes along into the new
// one.

#include "kinds/documents/files/journal.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/files/in_folder.h"
#include "base/files/lock_range.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "base/run/parallel.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <thread>
#include <utility>

namespace holdfast::documents {
namespace {

using Kind = FileStep::Kind;
using End = JournaledOperation::End;

// Recovery reads the journal at each start: about a thousand operations, in some milliseconds.
constexpr std::size_t kLongJournalBytes = 512 * 1024;
// What is still open is carried over, so a journal is longer than that only when one operation is.
constexpr std::size_t kMaxJournalBytes = 1024UL * 1024 * 1024;

constexpr std::chrono::milliseconds kPause{1};  // of who waits for a journal that is put aside

// ---- the JSON of lines ----

constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds = {
    {{Kind::replace, "replace"}, {Kind::create, "create"}, {Kind::rename, "rename"}, {Kind::trash, "trash"}}};
constexpr std::array<std::pair<End, std::string_view>, 3> kEnds = {
    {{End::committed, "committed"}, {End::done, "done"}, {End::undone, "undone"}}};

template <class Table, class Value>
std::string_view word_for(const Table& table, Value value) {
  for (const auto& [each, word] : table)
    if (each == value) return word;
  return "";
}

template <class Table, class Value>
bool value_for(const Table& table, std::string_view word, Value& value) {
  for (const auto& [each, name] : table) {
    if (name != word) continue;
    value = each;
    return true;
  }
  return false;
}

void put(JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}

std::string text(const JsonObject& object, std::string_view key) {
  return std::string(find_string(object, key).value_or(""));
}

void put(JsonObject& object, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  JsonArray& array = object[key].emplace_array();
  for (const std::string& each : texts) array.emplace_back(each);
}

std::vector<std::string> texts(const JsonObject& object, std::string_view key) {
  std::vector<std::string> found;
  if (const JsonArray* array = find_array(object, key))
    for (const Json& each : *array)
      if (each.is_string()) found.emplace_back(view(each.get_string()));
  return found;
}

JsonObject step_object(const JournaledStep& step) {
  JsonObject object;
  put(object, "kind", word_for(kKinds, step.kind));
  put(object, "key", step.key);
  put(object, "to", step.to);
  put(object, "before", step.before);
  put(object, "after", step.after);
  put(object, "trash", step.trash);
  put(object, "temporary", step.temporary);
  put(object, "parents", step.parents);
  if (step.inode != 0) object["inode"] = step.inode;
  return object;
}

std::uint64_t number(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

std::optional<JournaledStep> step_of(const JsonObject& object) {
  JournaledStep step;
  if (!value_for(kKinds, text(object, "kind"), step.kind)) return std::nullopt;
  step.key = text(object, "key");
  step.to = text(object, "to");
  step.before = text(object, "before");
  step.after = text(object, "after");
  step.trash = text(object, "trash");
  step.temporary = text(object, "temporary");
  step.parents = texts(object, "parents");
  step.inode = number(object, "inode");
  return step;
}

std::optional<JournaledOperation> operation_in(const JsonObject& object) {
  JournaledOperation operation;
  operation.id = text(object, "id");
  operation.time = find_int(object, "time").value_or(0);
  operation.note.action = text(object, "action");
  operation.note.who = text(object, "who");
  operation.note.undoes = text(object, "undoes");
  operation.note.change_ids = texts(object, "changes");
  const JsonArray* steps = find_array(object, "steps");
  if (operation.id.empty() || !steps) return std::nullopt;
  for (const Json& each : *steps) {
    const JsonObject* inner = each.if_object();
    auto step = inner ? step_of(*inner) : std::nullopt;
    if (!step) return std::nullopt;
    operation.steps.push_back(*std::move(step));
  }
  return operation;
}

struct JournalLine {
  std::optional<JournaledOperation> begun;
  std::string ended;  // id
  End how = End::open;
};

std::string to_line(const JournaledOperation& operation) {
  JsonObject object;
  object["id"] = operation.id;
  object["time"] = operation.time;
  object["action"] = operation.note.action;
  put(object, "who", operation.note.who);
  put(object, "undoes", operation.note.undoes);
  put(object, "changes", operation.note.change_ids);
  JsonArray& steps = object["steps"].emplace_array();
  for (const JournaledStep& step : operation.steps) steps.emplace_back(step_object(step));
  return to_json(object);
}

std::string to_end_line(std::string_view id, End how) {
  JsonObject object;
  object[word_for(kEnds, how)] = id;
  return to_json(object);
}

// Nothing for what is no line of ours.
std::optional<JournalLine> parse_line(std::string_view line) {
  const auto value = parse_json(line);
  const JsonObject* object = value ? value->if_object() : nullptr;
  if (!object) return std::nullopt;
  JournalLine parsed;
  for (const auto& [how, word] : kEnds) {
    parsed.ended = text(*object, word);
    parsed.how = how;
    if (!parsed.ended.empty()) return parsed;
  }
  parsed.begun = operation_in(*object);
  if (!parsed.begun) return std::nullopt;
  return parsed;
}

// ---- the file ----

std::string journal_path(Library& library) {
  return library.settings().state_folder + "/journal.jsonl";
}

// Bytes of a file that has none: byte 0 is held by all who are at work, another one by each operation.
Result<Fd> open_locks(Library& library) {
  const std::string path = library.settings().state_folder + "/operations";
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail(system_error(path, errno));
  return file;
}

off_t lock_byte(std::string_view id) {
  const Digest digest = sha256(id);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 7; ++i) number = number << 8 | digest[i];
  return static_cast<off_t>(number) + 1;
}

Result<Fd> open_journal(Library& library) {
  const std::string path = journal_path(library);
  Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) {
    file = Fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file) HF_CHECK(sync_folder(library.settings().state_folder));
  }
  if (!file) return fail(system_error(path, errno));
  return file;
}

Result<void> append_line(const Fd& journal, const std::string& line, bool synced) {
  HF_CHECK(write_all(journal.get(), '\n' + line));
  if (synced && ::fdatasync(journal.get()) != 0) return fail(system_error("sync the journal", errno));
  return {};
}

Result<std::string> read_journal(const std::string& path) {
  auto text = read_file(path, kMaxJournalBytes);
  if (!text && text.error().kind == ErrorKind::not_found) return "";
  return text;
}

// In the order of the journal, each with its end when it has one.
std::vector<JournaledOperation> operations_in(std::string_view text) {
  std::vector<JournaledOperation> operations;
  std::map<std::string, std::size_t, std::less<>> places;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    auto line = parse_line(text.substr(0, newline));
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
    if (!line) continue;
    if (line->begun) {
      places.insert_or_assign(line->begun->id, operations.size());
      operations.push_back(*std::move(line->begun));
    } else if (const auto place = places.find(line->ended); place != places.end()) {
      operations[place->second].end = line->how;
    }
  }
  return operations;
}

bool is_under_way(const JournaledOperation& operation) {
  return operation.end == End::open || operation.end == End::committed;
}

bool is_of(Library& library, const JournaledOperation& operation) {
  return std::ranges::all_of(operation.steps, [&](const JournaledStep& step) { return library.place_of(step.key).has_value(); });
}

// The current one first, then those put aside, newest first: their names have the time in them.
Result<std::vector<std::string>> all_journals(Library& library) {
  const std::string& folder = library.settings().state_folder;
  HF_TRY(const auto entries, entries_in(folder));
  std::vector<std::string> paths;
  for (const auto& [name, type] : entries)
    if (name.starts_with("journal-") && name.ends_with(".jsonl")) paths.push_back(folder + '/' + name);
  std::ranges::sort(paths, std::greater<>());
  paths.insert(paths.begin(), journal_path(library));
  return paths;
}

// Newest first, until `take` has enough.
Result<void> visit_operations(Library& library, const std::function<bool(JournaledOperation&)>& take) {
  HF_TRY(const auto paths, all_journals(library));
  for (const std::string& path : paths) {
    HF_TRY(const std::string text, read_journal(path));
    auto operations = operations_in(text);
    for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation)
      if (!take(*operation)) return {};
  }
  return {};
}

}  // namespace

Result<JournaledOperation> find_operation(Library& library, std::string_view id) {
  std::optional<JournaledOperation> found;
  HF_CHECK(visit_operations(library, [&](JournaledOperation& operation) {
    if (operation.id == id) found = std::move(operation);
    return !found;
  }));
  if (!found) return fail(ErrorKind::not_found, fmt::format("the journal knows no operation \"{}\"", id));
  return *std::move(found);
}

Result<void> visit_happened(Library& library, std::initializer_list<std::string_view> actions,
                            const std::function<bool(JournaledOperation&)>& take) {
  return visit_operations(library, [&](JournaledOperation& operation) {
    const bool happened = operation.end == End::done || operation.end == End::committed;
    const bool meant = actions.size() == 0 || std::ranges::find(actions, operation.note.action) != actions.end();
    return !happened || !meant || !is_of(library, operation) || take(operation);
  });
}

Result<std::vector<JournaledOperation>> list_operations(Library& library, std::string_view action, std::size_t limit) {
  std::vector<JournaledOperation> found;
  const auto take = [&](JournaledOperation& operation) {
    found.push_back(std::move(operation));
    return found.size() < limit;
  };
  HF_CHECK(action.empty() ? visit_happened(library, {}, take) : visit_happened(library, {action}, take));
  return found;
}

Result<OperationAtWork> OperationAtWork::begin(Library& library, JournaledOperation operation) {
  HF_TRY(Fd lock, open_locks(library));
  // Byte 0 is held by another only while it puts the journal aside, which is a matter of milliseconds.
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  for (bool held = false; !held;) {
    HF_TRY(held, try_lock_range(lock, 0, Sharing::shared));
    if (!held && std::chrono::steady_clock::now() >= give_up)
      return fail(ErrorKind::unavailable, "the journal of documents is held by somebody else", "Try again in a moment.");
    if (!held) std::this_thread::sleep_for(kPause);
  }
  HF_TRY(const bool own, try_lock_range(lock, lock_byte(operation.id), Sharing::exclusive));
  if (!own) return fail(ErrorKind::unavailable, "another operation has this one's lock", "Try again.");
  HF_TRY(Fd journal, open_journal(library));
  HF_CHECK(append_line(journal, to_line(operation), false));
  OperationAtWork work(std::move(lock), std::move(journal), std::move(operation));
  work.syncing_ = run_beside([file = work.journal_.get()] { return ::fdatasync(file) == 0 ? 0 : errno; });
  return work;
}

Result<void> OperationAtWork::await_sync() {
  if (!syncing_.valid()) return {};
  if (const int error_number = syncing_.get(); error_number != 0) return fail(system_error("sync the journal", error_number));
  return {};
}

Result<std::vector<OperationAtWork>> OperationAtWork::adopt_abandoned(Library& library) {
  std::vector<OperationAtWork> adopted;
  HF_TRY(const std::string text, read_journal(journal_path(library)));
  for (JournaledOperation& operation : operations_in(text)) {
    if (!is_under_way(operation) || !is_of(library, operation)) continue;
    HF_TRY(Fd lock, open_locks(library));
    HF_TRY(const bool dead, try_lock_range(lock, lock_byte(operation.id), Sharing::exclusive));
    if (!dead) continue;
    HF_TRY(const bool shared, try_lock_range(lock, 0, Sharing::shared));
    if (!shared) continue;
    HF_TRY(Fd journal, open_journal(library));
    adopted.push_back(OperationAtWork(std::move(lock), std::move(journal), std::move(operation)));
  }
  // Some may have ended between our reading and their unlocking.
  if (adopted.empty()) return adopted;
  HF_TRY(const std::string again, read_journal(journal_path(library)));
  const auto now = operations_in(again);
  std::erase_if(adopted, [&](const OperationAtWork& each) {
    const auto same = std::ranges::find(now, each.operation_.id, &JournaledOperation::id);
    return same == now.end() || !is_under_way(*same) || same->end != each.operation_.end;
  });
  return adopted;
}

Result<void> OperationAtWork::end(End how, bool synced) {
  operation_.end = how;
  return append_line(journal_, to_end_line(operation_.id, how), synced);
}

bool is_unfinished(Library& library, std::string_view id) {
  const auto locks = open_locks(library);
  if (!locks || is_range_locked(*locks, lock_byte(id))) return true;
  const auto operation = find_operation(library, id);
  return operation ? is_under_way(*operation) : operation.error().kind != ErrorKind::not_found;
}

Result<void> rotate_journal(Library& library) {
  const std::string path = journal_path(library);
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || static_cast<std::size_t>(status.st_size) < kLongJournalBytes) return {};
  HF_TRY(const Fd lock, open_locks(library));
  HF_TRY(const bool alone, try_lock_range(lock, 0, Sharing::exclusive));
  if (!alone) return {};
  HF_TRY(const std::string text, read_journal(path));
  std::string still_open;
  for (const JournaledOperation& operation : operations_in(text))
    if (is_under_way(operation)) {
      still_open += '\n' + to_line(operation);
      if (operation.end == End::committed) still_open += '\n' + to_end_line(operation.id, operation.end);
    }
  // The old one has its second name before the first is taken from it. A crash in between is found by the next that comes here.
  const std::string aside = fmt::format("{}/journal-{}.jsonl", library.settings().state_folder, make_uuid7());
  if (::link(path.c_str(), aside.c_str()) != 0) return fail(system_error(aside, errno));
  return replace_file(path, still_open);
}

}  // namespace holdfast::documents
