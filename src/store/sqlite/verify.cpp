#include "store/sqlite/verify.h"

#include "store/sqlite/shelves.h"
#include "store/sqlite/tables.h"
#include "store/tables/verify.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Integrity;

namespace {

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
    if (rows.text(0) != "ok") add_problem(report.problems, std::string(rows.text(0)));
  }
}

Result<void> check_file(Db& db, Integrity& report) {
  HF_CHECK(run_check(db, "PRAGMA quick_check(100)", report));
  // The quick check does not compare indexes with their tables; lists see sessions through these.
  for (std::string_view pragma : {"PRAGMA integrity_check(sessions)", "PRAGMA integrity_check(roots)"}) {
    if (report.problems.empty()) HF_CHECK(run_check(db, pragma, report));
  }
  return {};
}

Result<void> check_counts(Db& db, Integrity& report) {
  auto problems = check_shelves(db);
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

Result<Integrity> verify_store(Db& db) {
  Integrity report;
  HF_CHECK(check_file(db, report));
  HF_CHECK(check_counts(db, report));
  std::vector<std::string> ids;
  {
    HF_TRY(auto rows, db.query("SELECT id FROM sessions ORDER BY id"));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      ids.emplace_back(rows.text(0));
    }
  }
  SqliteTables tables(db);
  HF_CHECK(verify_sessions(tables, ids, report));
  HF_TRY(const auto strays, db.number("SELECT count(*) FROM entries WHERE session NOT IN (SELECT key FROM sessions)"));
  if (strays.value_or(0) != 0) add_problem(report.problems, fmt::format("{} entries belong to no session", *strays));
  report.ok = report.damaged.empty() && report.problems.empty();
  return report;
}

}  // namespace holdfast::store
