#include "kinds/documents/find/change_index.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/run/log.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/walk.h"
#include "kinds/documents/text/pending_change.h"

namespace holdfast::documents {

namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// One file for each set of folders.
std::string cache_file(Library& library) {
  std::string folders;
  for (const LibraryFolder& each : library.settings().folders) folders += each.folder + '\n';
  constexpr std::size_t kHex = 16;
  return library.settings().state_folder + "/changes-" + to_hex(sha256(folders)).substr(0, kHex) + ".json";
}

}  // namespace

void ChangeIndex::load(Library& library) {
  loaded_ = true;
  const auto text = read_file(cache_file(library));
  const auto parsed = text ? parse_json(*text) : Result<Json>(fail(text.error()));
  if (!parsed || !parsed->is_object()) return;
  for (const auto& [key, value] : parsed->as_object()) {
    if (!value.is_array() || value.as_array().size() != 4) continue;
    const JsonArray& row = value.as_array();
    if (!row[0].is_int64() || !row[1].is_int64() || !row[2].is_int64() || !row[3].is_bool()) continue;
    seen_[std::string(key)] = {static_cast<std::uint64_t>(row[0].as_int64()), static_cast<std::uint64_t>(row[1].as_int64()),
                               row[2].as_int64(), row[3].as_bool()};
  }
}

void ChangeIndex::save(Library& library) {
  if (!changed_) return;
  changed_ = false;
  JsonObject all;
  for (const auto& [key, seen] : seen_)
    all[key] =
        JsonArray{static_cast<std::int64_t>(seen.size), static_cast<std::int64_t>(seen.inode), seen.modified_ns, seen.pending};
  // Only a cache: without it the next listing reads more.
  if (auto saved = replace_file(cache_file(library), to_json(all)); !saved)
    log(LogLevel::debug, "documents", saved.error().message);
}

Result<std::vector<Place>> ChangeIndex::documents_with_changes(Library& library, std::string_view below,
                                                               const std::function<bool()>& cancelled) {
  HF_TRY(const std::vector<WalkedFile> files, walk(library, {std::string(below), cancelled}));
  const std::lock_guard lock(mutex_);
  if (!loaded_) load(library);
  std::vector<Place> with;
  std::map<std::string, Seen, std::less<>> now_seen;
  const std::int64_t young = now_ns() - trusted_after_.count();
  for (const WalkedFile& file : files) {
    if (!file.place.reviewed) continue;
    if (cancelled && cancelled()) return fail(ErrorKind::cancelled, "listing the changes was cancelled");
    const auto known = seen_.find(file.place.key);
    Seen seen{file.size, file.inode, file.modified_ns, false};
    const bool same = known != seen_.end() && known->second.size == seen.size && known->second.inode == seen.inode &&
                      known->second.modified_ns == seen.modified_ns;
    if (same) {
      seen.pending = known->second.pending;
    } else {
      ++files_read_;
      const auto state = read_document(library, file.place);
      if (!state) continue;  // gone meanwhile, or not text
      seen.pending = has_pending(state->bytes);
    }
    if (seen.pending) with.push_back(file.place);
    if (file.modified_ns >= young) continue;
    if (!same) changed_ = true;
    now_seen.emplace(file.place.key, seen);
  }
  if (below.empty()) {
    if (now_seen.size() != seen_.size()) changed_ = true;
    seen_ = std::move(now_seen);
  } else {
    for (auto& [key, seen] : now_seen) seen_.insert_or_assign(key, seen);
  }
  save(library);
  return with;
}

}  // namespace holdfast::documents
