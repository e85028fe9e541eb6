// store info, verify, copy, backup, restore, salvage: looking after the store as a whole.

#include "operations/context.h"
#include "operations/table.h"
#include "store/backup.h"
#include "store/open.h"

#include <array>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

// A path is a file; "sqlite:" need not be written.
std::string store_address(const std::string& word) {
  return word.contains(':') ? word : std::string(store::kSqliteScheme) + word;
}

JsonArray damaged_sessions(const std::vector<session::Verification>& damaged) {
  JsonArray sessions;
  for (const session::Verification& each : damaged)
    sessions.push_back(JsonObject{{"session", each.session}, {"problems", to_json_array(each.problems)}});
  return sessions;
}

// What the store's own work says while it goes on; nobody can stop it.
store::BackupProgress telling_of(const Administration& administration, std::string_view step) {
  return [&administration, step](std::uint64_t done, std::uint64_t total) {
    if (administration.tell) administration.tell(step, done, total);
  };
}

Result<Facts> store_info(Context& context, const Given&) {
  HF_TRY(const Administration administration, context.administration());
  HF_TRY(session::Store* const store, administration.store(true));
  HF_TRY(const session::StoreInfo info, store->info());
  Facts facts{{"url", info.url},
              {"path", info.path},
              {"schema_version", info.schema_version},
              {"read_only", info.read_only},
              {"sessions", info.sessions},
              {"entries", info.entries},
              {"bytes", info.bytes},
              {"index_bytes", info.index_bytes}};
  if (info.read_only && !info.read_only_reason.empty()) facts["read_only_reason"] = info.read_only_reason;
  return facts;
}

Result<Facts> verify_store(Context& context, const Given&) {
  if (!context.identity().projects.empty())
    return fail(ErrorKind::refused, "this token works in certain projects, and this would look at all of them",
                "verify one session, or use a token without projects", "project_denied");
  HF_TRY(const Administration administration, context.administration());
  HF_TRY(session::Store* const store, administration.store(true));
  HF_TRY(const session::Integrity integrity, store->integrity());
  return Facts{{"ok", integrity.ok},
               {"sessions", integrity.sessions},
               {"entries", integrity.entries},
               {"damaged", damaged_sessions(integrity.damaged)},
               {"problems", to_json_array(integrity.problems)}};
}

// ---- copy ----

constexpr std::array kStoreCopyParameters{needed("from", "FROM", "sqlite:PATH or postgres://USER@HOST/DATABASE"),
                                          needed("to", "TO", "the same, and empty")};

// The target says of itself that it is sound, or is damaged exactly where the source is.
Result<session::Integrity> verify_copy(const std::string& from, const std::string& to) {
  store::OpenOptions options;
  options.read_only = true;
  HF_TRY(const auto copy, store::open_store(to, options));
  HF_TRY(session::Integrity integrity, copy->integrity());
  if (integrity.ok) return integrity;
  HF_TRY(const auto original, store::open_store(from, options));
  HF_TRY(const session::Integrity before, original->integrity());
  if (damaged_sessions(integrity.damaged) == damaged_sessions(before.damaged)) return integrity;
  return fail(ErrorKind::corrupt, "the copy differs from its source", "holdfast store verify --store TO says where");
}

Result<Facts> copy_store(Context& context, const Given& given) {
  HF_TRY(const Administration administration, context.administration());
  const std::string from = store_address(given.text("from")), to = store_address(given.text("to"));
  if (from == to) return fail(ErrorKind::invalid, "source and target are the same store");
  const auto tell = telling_of(administration, "copying");
  HF_TRY(const store::CopyTotals copied, store::copy_store(from, to, [&](const store::CopyProgress& progress) {
           tell(static_cast<std::uint64_t>(progress.done), static_cast<std::uint64_t>(progress.total));
         }));
  HF_TRY(const session::Integrity integrity, verify_copy(from, to));
  return Facts{{"sessions", copied.sessions}, {"entries", copied.entries}, {"tombstones", copied.tombstones},
               {"lineage", copied.lineage},   {"values", copied.values},   {"verified", integrity.ok}};
}

// ---- backup, restore, salvage ----

constexpr std::array kStoreBackupParameters{needed("file", "FILE", "the copy; must not exist")};
constexpr std::array kStoreRestoreParameters{
    needed("file", "FILE", "what backup has made"), Parameter{"replace", flag, "put the store that is there aside"},
    Parameter{"with_damage", flag, "also a backup of which something is damaged: what salvage has made"}};
constexpr std::array kStoreSalvageParameters{needed("from", "FROM", "the damaged store"),
                                             needed("file", "TO", "a file that must not exist")};

Facts backup_facts(const store::Backup& backup) {
  return {{"sessions", backup.sessions}, {"entries", backup.entries}, {"bytes", backup.bytes}, {"verified", backup.sound}};
}

Result<Facts> back_up_store(Context& context, const Given& given) {
  HF_TRY(const Administration administration, context.administration());
  const std::string file = given.text("file");
  HF_TRY(const store::Backup made, store::back_up(administration.store_url, file, telling_of(administration, "copying")));
  Facts facts = backup_facts(made);
  facts["file"] = file;
  return facts;
}

Result<Facts> restore_store(Context& context, const Given& given) {
  HF_TRY(const Administration administration, context.administration());
  const store::RestoreRules rules{given.flag("replace"), given.flag("with_damage")};
  HF_TRY(const store::Backup made,
         store::restore(given.text("file"), administration.store_url, rules, telling_of(administration, "restoring")));
  Facts facts = backup_facts(made);
  facts["store"] = administration.store_url;
  facts["put_aside"] = made.put_aside.empty() ? Json(nullptr) : Json(made.put_aside);
  return facts;
}

Result<Facts> salvage_store(Context& context, const Given& given) {
  HF_TRY(const Administration administration, context.administration());
  const std::string file = given.text("file");
  HF_TRY(const store::Salvaged made,
         store::salvage(store_address(given.text("from")), file, telling_of(administration, "salvaging")));
  return Facts{{"file", file},
               {"sessions", made.sessions},
               {"entries", made.entries},
               {"bytes", made.bytes},
               {"rebuilt", to_json_array(made.rebuilt)},
               {"losses", to_json_array(made.losses)},
               {"damaged", damaged_sessions(made.damaged)}};
}

constexpr std::array kStoreOperations{
    for_scope(Scope::admin, reads("store info", "where it is and what it holds", {}, store_info)),
    for_scope(Scope::admin, reads("store verify", "check every session against its hashes", {}, verify_store)),
    for_scope(Scope::admin,
              adds("store copy", "everything in one store into another, empty one", kStoreCopyParameters, copy_store)),
    for_scope(Scope::admin, adds("store backup", "a verified copy as of now, also while servers use the store",
                                 kStoreBackupParameters, back_up_store)),
    for_scope(Scope::admin, changes("store restore", "make a backup the store", kStoreRestoreParameters, restore_store)),
    for_scope(Scope::admin, adds("store salvage", "all that can be read of a damaged store, into a new one",
                                 kStoreSalvageParameters, salvage_store)),
};

}  // namespace

std::span<const Operation> store_operations() {
  return kStoreOperations;
}

}  // namespace holdfast::operations
