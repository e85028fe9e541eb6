#include "store/sqlite/verify.h"

#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/rows/tables.h"
#include "store/tables/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {

using session::Integrity;

namespace {

// The first hundred are shown; pages that belong to nothing must not crowd them out.
constexpr int kMostLines = 1'000'000;

Result<void> run_check(Db& db, std::string_view pragma, Integrity& report) {
  HF_TRY(auto rows, db.query(pragma));
  while (true) {
    auto more = rows.next();
    if (!more) {
      if (more.error().kind != ErrorKind::corrupt) return fail(std::move(more).error());
      add_problem(report.problems, more.error().message);
      return {};
    }
    if (!*more) return {};
    // All that is wrong with the trees comes as one text. Pages that belong to nothing are what mending leaves behind (mend.h).
    for (std::string_view rest = rows.text(0); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line != "ok" && !line.starts_with("*** in database") && !line.ends_with("never used"))
        add_problem(report.problems, std::string(line));
    }
  }
}

Result<void> check_counts(Db& db, Integrity& report) {
  auto problems = check_buckets(db);
  if (problems) {
    for (std::string& problem : *problems) add_problem(report.problems, std::move(problem));
  } else if (problems.error().kind == ErrorKind::corrupt) {
    add_problem(report.problems, problems.error().message);
  } else {
    return fail(std::move(problems).error());
  }
  return {};
}

}  // namespace

Result<session::Verification> verify_indexed_session(Db& db, Tables& tables, std::string_view id) {
  auto verified = verify_session(tables, id);
  if (verified || verified.error().kind != ErrorKind::not_found) return verified;
  HF_TRY(const auto row, db.number("SELECT 1 FROM sessions NOT INDEXED WHERE id = ?", id));
  if (!row) return verified;
  return fail(ErrorKind::corrupt, fmt::format("{}: the index of session ids does not know {}", db.path(), id),
              "holdfast store salvage copies all that can be read");
}

Result<Integrity> verify_store(Db& db) {
  Integrity report;
  // The whole check: the quick one does not compare indexes with their tables.
  HF_CHECK(run_check(db, fmt::format("PRAGMA integrity_check({})", kMostLines), report));
  HF_CHECK(check_counts(db, report));
  HF_TRY(const auto ids, db.all<std::string>("SELECT id FROM sessions ORDER BY id", {},
                                             [](const Columns& row) { return std::string(row.text(0)); }));
  SqliteTables tables(db);
  HF_CHECK(verify_sessions(tables, ids, report));
  HF_TRY(const auto strays, db.number("SELECT count(*) FROM entries WHERE session NOT IN (SELECT key FROM sessions)"));
  if (strays.value_or(0) != 0) add_problem(report.problems, fmt::format("{} entries belong to no session", *strays));
  report.ok = report.damaged.empty() && report.problems.empty();
  return report;
}

}  // namespace holdfast::store
