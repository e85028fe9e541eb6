#include "store/sqlite/verify.h"

#include "store/sqlite/entry_rows.h"
#include "store/sqlite/shelves.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::store {

using session::Integrity;
using session::Verification;

namespace {

void add_problem(std::vector<std::string>& problems, std::string problem) {
  if (problems.size() < session::kMaxProblems) {
    problems.push_back(std::move(problem));
  } else if (problems.size() == session::kMaxProblems) {
    problems.emplace_back("... and more");
  }
}

using Counts = std::map<std::pair<std::string, std::string>, std::int64_t>;

Result<void> verify_entries(Db& db, const SessionRow& row, Verification& report, Counts& counts) {
  HF_TRY(auto rows, db.query(fmt::format("SELECT {} FROM entries WHERE session = ? ORDER BY seq", kEntryColumns), row.key));
  Digest previous = session::chain_start(row.record.id);
  std::int64_t expected = 1;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) break;
    const session::Entry entry = read_entry(rows, row.record.id);
    ++report.entries;
    ++counts[{entry.lane, entry.type}];
    if (entry.redacted) ++report.redacted;
    if (entry.seq != expected) {
      add_problem(report.problems, fmt::format("entries {} to {} are missing", expected, entry.seq - 1));
    } else if (previous_hash(rows) != previous) {
      add_problem(report.problems, fmt::format("entry {} does not follow the one before it", entry.seq));
    }
    if (entry.damage) add_problem(report.problems, fmt::format("entry {}: {}", entry.seq, *entry.damage));
    previous = entry.hash;
    expected = entry.seq + 1;
  }
  if (expected - 1 != row.entries) {
    add_problem(report.problems,
                fmt::format("the record counts {} entries, the last one found is {}", row.entries, expected - 1));
  } else if (previous != row.head) {
    add_problem(report.problems, "the last entry is not the one the record remembers");
  }
  return {};
}

Result<Verification> verify_row(Db& db, SessionRow row) {
  Verification report;
  report.session = row.record.id;
  HF_CHECK(load_rest(db, row));
  if (row.record.damage) add_problem(report.problems, *row.record.damage);
  Counts counts;
  HF_CHECK(verify_entries(db, row, report, counts));
  for (const session::Tally& tally : row.record.tallies) {
    std::int64_t& counted = counts[{tally.lane, tally.type}];
    if (counted != tally.count) {
      add_problem(report.problems, fmt::format("{} entries of type {} are counted, {} found", tally.count, tally.type, counted));
    }
    counted = 0;
  }
  for (const auto& [key, count] : counts) {
    if (count != 0) {
      add_problem(report.problems, fmt::format("{} entries of type {} are not counted", count, key.second));
    }
  }
  report.ok = report.problems.empty();
  return report;
}

// A session whose pages cannot be read is a damaged session, not the end of the check.
Verification verify_or_report(Db& db, std::int64_t key, const std::string& id) {
  auto row = find_row(db, key);
  if (row && *row) {
    auto report = verify_row(db, **std::move(row));
    if (report) return *std::move(report);
    return {id, false, 0, 0, {report.error().message}};
  }
  return {id, false, 0, 0, {row ? "the record is missing" : row.error().message}};
}

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

Result<Verification> verify_session(Db& db, std::string_view id) {
  HF_TRY(auto row, find_row(db, id));
  if (!row) return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
  return verify_row(db, *std::move(row));
}

Result<Integrity> verify_store(Db& db) {
  Integrity report;
  HF_CHECK(check_file(db, report));
  HF_CHECK(check_counts(db, report));
  std::vector<std::pair<std::int64_t, std::string>> sessions;
  {
    HF_TRY(auto rows, db.query("SELECT key, id FROM sessions ORDER BY id"));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      sessions.emplace_back(rows.integer(0), rows.text(1));
    }
  }
  for (const auto& [key, id] : sessions) {
    Verification each = verify_or_report(db, key, id);
    ++report.sessions;
    report.entries += each.entries;
    if (!each.ok) report.damaged.push_back(std::move(each));
  }
  HF_TRY(const auto strays, db.number("SELECT count(*) FROM entries WHERE session NOT IN (SELECT key FROM sessions)"));
  if (strays.value_or(0) != 0) add_problem(report.problems, fmt::format("{} entries belong to no session", *strays));
  report.ok = report.damaged.empty() && report.problems.empty();
  return report;
}

}  // namespace holdfast::store
