#include "session/session_archive.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "session/archive_fields.h"
#include "session/kinds.h"
#include "session/life/kind_life.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::session {
namespace {

constexpr std::int64_t kArchiveVersion = 1;
constexpr std::string_view kMark = "\"holdfast_session\"";
constexpr std::size_t kBeginning = 256;  // within which the mark stands

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::corrupt, fmt::format("the archive is damaged: {}", what));
}

// Another id of the same form (design 8.20).
std::string id_like(std::string_view id) {
  if (is_uuid(id)) return make_uuid7();
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos || dash + 1 == id.size()) return make_uuid7();
  const std::string_view rest = id.substr(dash + 1);
  const bool base32 = std::ranges::all_of(rest, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
  return std::string(id.substr(0, dash + 1)) + (base32 ? random_base32(rest.size()) : random_base62(rest.size()));
}

// As it can be here: nobody works on it, and it is not about to be purged.
SessionRecord as_kept(SessionRecord record, const RestoreSessionOptions& options) {
  record.principal = options.principal;
  if (record.visibility == Visibility::deleted) {
    record.visibility = Visibility::live;
    if (!record.prior_status.empty()) record.status = record.prior_status;
    record.deleted_at.reset();
  }
  if (is_busy(record)) record.status = std::string(life_of(record.kind).ended);
  return record;
}

bool is_same(const Entry& entry, const NewEntry& archived) {
  return entry.type == archived.type && entry.lane == archived.lane && entry.number == archived.number &&
         entry.time == archived.time && entry.text == archived.text && entry.data == archived.data;
}

Result<bool> has_same_entries(Reader& reader, const SessionArchive& archive) {
  EntryQuery query;
  query.session = archive.record.id;
  query.limit = kMaxEntryLimit;
  std::size_t at = 0;
  for (;;) {
    HF_TRY(const EntryPage page, reader.entries(query));
    for (const Entry& entry : page.entries)
      if (at >= archive.entries.size() || !is_same(entry, archive.entries[at++])) return false;
    if (!page.next) return at == archive.entries.size();
    query.from = *page.next;
  }
}

Result<Restored> put_back(Transaction& transaction, const SessionArchive& archive, const RestoreSessionOptions& options) {
  SessionRecord record = as_kept(archive.record, options);
  if (options.new_id) record.id = id_like(record.id);
  HF_TRY(SessionRecord created, transaction.create(record));
  for (const NewEntry& entry : archive.entries) HF_CHECK(transaction.append(created.id, entry));
  if (!options.new_id) {
    HF_TRY(const auto known, transaction.lineage_of(created.id));
    for (const LineageEvent& event : archive.lineage) {
      const bool there = std::ranges::any_of(known, [&](const LineageEvent& each) {
        return each.child == event.child && each.parent == event.parent && each.how == event.how && each.when == event.when;
      });
      if (!there) HF_CHECK(transaction.add_lineage(event));
    }
  }
  LineageEvent event;
  event.child = created.id;
  event.parent = options.new_id ? archive.record.id : std::string();
  event.how = "restore";
  if (!options.origin.empty()) event.details["origin"] = options.origin;
  HF_CHECK(transaction.add_lineage(std::move(event)));
  Restored restored;
  HF_TRY(restored.record, transaction.get(created.id));
  restored.entries = static_cast<std::int64_t>(archive.entries.size());
  return restored;
}

}  // namespace

bool looks_like_session_archive(std::string_view beginning) {
  const std::string_view head = trim(beginning.substr(0, kBeginning));
  return head.starts_with('{') && head.contains(kMark);
}

Result<Written> write_session_archive(Reader& reader, const SessionRecord& record, const TextFilter& filter,
                                      const std::function<Result<void>(std::string_view)>& sink) {
  Written written;
  const auto out = [&](std::string_view bytes) -> Result<void> {
    written.bytes += bytes.size();
    return sink(bytes);
  };
  Json head(archived_record(record));
  if (filter) filter_archived(head, filter);
  HF_CHECK(out(fmt::format("{{\"holdfast_session\":{},\"kind\":{},\n\"record\":{},\n\"entries\":[", kArchiveVersion,
                           to_json(Json(record.kind)), to_json(head))));
  EntryQuery query;
  query.session = record.id;
  query.limit = kMaxEntryLimit;
  for (;;) {
    HF_TRY(const EntryPage page, reader.entries(query));
    for (const Entry& entry : page.entries) {
      Json item(archived_entry(entry));
      if (filter) filter_archived(item, filter);
      HF_CHECK(out((written.entries++ == 0 ? "\n" : ",\n") + to_json(item)));
    }
    if (!page.next) break;
    query.from = *page.next;
  }
  HF_TRY(const auto events, reader.lineage_of(record.id));
  JsonArray lineage;
  for (const LineageEvent& event : events) lineage.push_back(archived_lineage(event));
  HF_CHECK(out(fmt::format("],\n\"lineage\":{}}}\n", to_json(Json(std::move(lineage))))));
  return written;
}

Result<SessionArchive> read_session_archive(std::string_view text) {
  JsonLimits limits;
  limits.max_bytes = kMaxArchiveBytes;
  auto parsed = parse_json(text, limits);
  if (!parsed && parsed.error().kind == ErrorKind::too_large) return fail(std::move(parsed).error());
  if (!parsed || !parsed->is_object()) return damaged(parsed ? "it is no object" : parsed.error().message);
  const JsonObject& all = parsed->get_object();
  const auto version = find_int(all, "holdfast_session");
  if (!version || *version < 1) return damaged("it does not say what it is");
  if (*version > kArchiveVersion)
    return fail(ErrorKind::refused, fmt::format("the archive is of version {}, which a later holdfast wrote", *version),
                "restore it with that version");
  const JsonObject* record = find_object(all, "record");
  const JsonArray* entries = find_array(all, "entries");
  const JsonArray* lineage = find_array(all, "lineage");
  if (!record || !entries || !lineage) return damaged("record, entries or lineage is missing");
  if (entries->size() > kMaxArchivedEntries)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} entries", kMaxArchivedEntries));
  if (lineage->size() > kMaxLineageEvents)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} events", kMaxLineageEvents));

  SessionArchive archive;
  HF_TRY(archive.record, record_from_archive(*record));
  if (find_string(all, "kind") != archive.record.kind) return damaged("its kind is not that of its record");
  if (archive.record.kind == kTranscript) return damaged("transcripts are archived as files");
  HF_CHECK(check_record(archive.record));
  archive.entries.reserve(entries->size());
  std::set<std::pair<std::string, std::int64_t>> numbers;  // of each lane
  for (const Json& each : *entries) {
    if (!each.is_object()) return damaged(fmt::format("entry {} is no object", archive.entries.size() + 1));
    auto entry = entry_from_archive(each.get_object());
    auto checked = entry ? check_entry(*entry) : Result<void>(fail(entry.error()));
    if (!checked) return fail(std::move(checked.error()).within(fmt::format("entry {}", archive.entries.size() + 1)));
    if (entry->number != 0 && !numbers.emplace(entry->lane, entry->number).second)
      return damaged(fmt::format("entry {} has a number that another has", archive.entries.size() + 1));
    archive.entries.push_back(*std::move(entry));
  }
  for (const Json& each : *lineage) {
    if (!each.is_object()) return damaged("an event of the lineage is no object");
    HF_TRY(LineageEvent event, lineage_from_archive(each.get_object()));
    if (event.child != archive.record.id && event.parent != archive.record.id)
      return damaged("an event of the lineage is about other sessions");
    archive.lineage.push_back(std::move(event));
  }
  return archive;
}

Result<Restored> restore_session_archive(Store& store, const SessionArchive& archive, const RestoreSessionOptions& options) {
  if (!options.new_id) {
    auto there = store.get(archive.record.id);
    if (there && there->principal == options.principal) {
      HF_TRY(const bool same, has_same_entries(store, archive));
      if (same) return Restored{*std::move(there), static_cast<std::int64_t>(archive.entries.size()), true};
    }
    const bool gone = !there && there.error().code == "gone";
    if (!there && !gone && there.error().kind != ErrorKind::not_found) return fail(std::move(there).error());
    if (there || gone)
      return fail(ErrorKind::conflict,
                  gone ? fmt::format("there was a session {}, and it was purged", archive.record.id)
                       : fmt::format("there is a session {} already, and it is not the same", archive.record.id),
                  "{new_id} restores it under another id");
  }
  if (options.dry_run) {
    Restored restored;
    restored.record = as_kept(archive.record, options);
    restored.entries = static_cast<std::int64_t>(archive.entries.size());
    return restored;
  }
  return store.write([&](Transaction& transaction) { return put_back(transaction, archive, options); });
}

}  // namespace holdfast::session
