#include "store/tables/verify.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::store {

using session::Verification;

namespace {

using Counts = std::map<std::pair<std::string, std::string>, std::int64_t>;

Result<void> verify_entries(Tables& tables, const SessionRow& row, Verification& report, Counts& counts) {
  Digest previous = session::chain_start(row.record.id);
  std::int64_t expected = 1;
  HF_CHECK(tables.each_entry(row, [&](const session::Entry& entry, const Digest& follows) {
    ++report.entries;
    ++counts[{entry.lane, entry.type}];
    if (entry.redacted) ++report.redacted;
    if (entry.seq != expected) {
      add_problem(report.problems, fmt::format("entries {} to {} are missing", expected, entry.seq - 1));
    } else if (follows != previous) {
      add_problem(report.problems, fmt::format("entry {} does not follow the one before it", entry.seq));
    }
    if (entry.damage) add_problem(report.problems, fmt::format("entry {}: {}", entry.seq, *entry.damage));
    previous = entry.hash;
    expected = entry.seq + 1;
  }));
  if (expected - 1 != row.entries) {
    add_problem(report.problems,
                fmt::format("the record counts {} entries, the last one found is {}", row.entries, expected - 1));
  } else if (previous != row.head) {
    add_problem(report.problems, "the last entry is not the one the record remembers");
  }
  return {};
}

Result<Verification> verify_row(Tables& tables, SessionRow row) {
  Verification report;
  report.session = row.record.id;
  HF_CHECK(tables.load_rest(row));
  if (row.record.damage) add_problem(report.problems, *row.record.damage);
  Counts counts;
  HF_CHECK(verify_entries(tables, row, report, counts));
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

Verification verify_or_report(Tables& tables, const std::string& id) {
  auto row = tables.find_row(id);
  if (row && *row) {
    auto report = verify_row(tables, **std::move(row));
    if (report) return *std::move(report);
    return {id, false, 0, 0, {report.error().message}};
  }
  return {id, false, 0, 0, {row ? "the record is missing" : row.error().message}};
}

}  // namespace

void add_problem(std::vector<std::string>& problems, std::string problem) {
  if (problems.size() < session::kMaxProblems) {
    problems.push_back(std::move(problem));
  } else if (problems.size() == session::kMaxProblems) {
    problems.emplace_back("... and more");
  }
}

Result<Verification> verify_session(Tables& tables, std::string_view id) {
  HF_TRY(auto row, tables.find_row(id));
  if (!row) return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
  return verify_row(tables, *std::move(row));
}

Result<void> verify_sessions(Tables& tables, const std::vector<std::string>& ids, session::Integrity& report) {
  for (const std::string& id : ids) {
    Verification each = verify_or_report(tables, id);
    ++report.sessions;
    report.entries += each.entries;
    if (!each.ok) report.damaged.push_back(std::move(each));
  }
  return {};
}

}  // namespace holdfast::store
