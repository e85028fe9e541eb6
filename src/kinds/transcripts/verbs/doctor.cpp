#include "kinds/transcripts/verbs/doctor.h"

#include "kinds/transcripts/home/orphans.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/products/claude/retention.h"
#include "session/life/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::transcripts {
namespace {

bool is_ill(const VerifyReport& report) {
  return !report.ok ||
         std::ranges::any_of(report.findings, [](const Finding& finding) { return finding.severity != Finding::Severity::note; });
}

class Examining {
 public:
  Examining(const Home& home, const DoctorOptions& options, const Progress& progress)
      : home_(home), options_(options), progress_(progress) {}

  Result<DoctorReport> run() {
    HF_TRY(const auto all, all_sessions(home_));
    if (options_.project_path) {
      HF_TRY(const auto folders, folders_of_project(home_, *options_.project_path));
      folders_.insert(folders.begin(), folders.end());
    } else {
      HF_TRY(const auto entries, home_.entries("projects"));
      for (const Home::Entry& entry : entries) folders_.insert(entry.name);
    }
    std::vector<FoundSession> sessions;
    std::ranges::copy_if(all, std::back_inserter(sessions),
                         [&](const FoundSession& session) { return folders_.contains(session.place.project_folder); });
    std::ranges::sort(sessions, {}, [](const FoundSession& session) { return session.place.transcript(); });
    report_.sessions = sessions.size();

    examine_retention(sessions);
    examine_duplicates(all);
    HF_TRY(report_.leftovers, leftovers(home_));
    HF_CHECK(examine_indexes_and_orphans());
    for (const FoundSession& session : sessions) HF_CHECK(examine_session(session));
    advise();
    return std::move(report_);
  }

 private:
  void examine_retention(const std::vector<FoundSession>& sessions) {
    const Retention retention = read_retention(home_);
    report_.cleanup_days = retention.days;
    report_.cleanup_is_default = retention.is_default;
    report_.cleanup_source = retention.source;
    report_.advice = retention.trouble;
    const Millis until = options_.now + options_.warn_days * session::kDay;
    for (const FoundSession& session : sessions)
      if (const Millis at = expires_at(retention, session.mtime); at <= until)
        report_.expiring.push_back({session.place, at, {}});
    std::ranges::sort(report_.expiring, {},
                      [](const DoctorReport::Expiring& one) { return std::pair(one.at, one.place.transcript()); });
    for (std::size_t i = 0; i < std::min(report_.expiring.size(), kTitledExpiring); ++i) {
      // A title is a help: a transcript that cannot be read is named without one, and is found sick below.
      if (auto summary = summarise(home_, {report_.expiring[i].place, 0, 0}))
        report_.expiring[i].title = std::move(summary->title);
    }
  }

  void examine_duplicates(const std::vector<FoundSession>& all) {
    std::map<std::string, std::vector<std::string>> folders_of;
    for (const FoundSession& session : all) folders_of[session.place.session_id].push_back(session.place.project_folder);
    for (auto& [id, folders] : folders_of) {
      if (folders.size() < 2) continue;
      if (std::ranges::none_of(folders, [&](const std::string& folder) { return folders_.contains(folder); })) continue;
      std::ranges::sort(folders);
      report_.duplicates.push_back({id, std::move(folders)});
    }
  }

  Result<void> examine_indexes_and_orphans() {
    for (const std::string& folder : folders_) {
      HF_TRY(auto stale, stale_index(home_, folder));
      if (stale) report_.stale_indexes.push_back(*std::move(stale));
    }
    HF_TRY(report_.orphans, find_orphans(home_, {folders_.begin(), folders_.end()}, !options_.project_path));
    if (report_.orphans.size() > kMaxOrphans) {
      report_.orphans_more = report_.orphans.size() - kMaxOrphans;
      report_.orphans.resize(kMaxOrphans);
    }
    return {};
  }

  Result<void> examine_session(const FoundSession& session) {
    if (!options_.deep) {
      report_.bytes += session.size;
      return {};
    }
    const auto examined = verify_session(*source_on_disk(home_, session.place), progress_);
    if (examined) {
      report_.bytes += examined->bytes;
      if (is_ill(*examined)) HF_CHECK(add_sick(session.place, *examined));
      return {};
    }
    const Error& error = examined.error();
    if (error.kind == ErrorKind::not_found) return {};  // gone since it was listed
    if (error.kind == ErrorKind::cancelled) return fail(error);
    // One that cannot be read must not hide the others.
    VerifyReport unreadable;
    unreadable.ok = false;
    unreadable.findings.push_back({Finding::Severity::damage, session.place.transcript(), 0, "cannot be read: " + error.message});
    return add_sick(session.place, std::move(unreadable));
  }

  Result<void> add_sick(const SessionPlace& place, VerifyReport report) {
    HF_TRY(const RunningState state, running_state(home_, place.session_id, place.transcript(), options_.now));
    std::string repaired_in;
    if (report.mendable) {
      std::string id = id_of_repaired(place, report);
      HF_TRY(const auto there, sessions_with_prefix(home_, id));
      if (!there.empty()) repaired_in = std::move(id);
    }
    report_.sick.push_back({place, std::move(report), state.running(), std::move(repaired_in)});
    return {};
  }

  void advise() {
    const std::string settings = home_.folder() + "/settings.json";
    if (report_.cleanup_is_default) {
      advise(
          fmt::format("Claude Code deletes sessions {} days after their last use, because nothing else is set: put "
                      "\"cleanupPeriodDays\": 3650 (ten years) into {} to keep them.",
                      report_.cleanup_days, settings));
    } else if (report_.cleanup_days == 0) {
      advise(fmt::format(
          "cleanupPeriodDays is 0 in {}: some releases of Claude Code take that as \"delete everything\", others write "
          "no transcripts at all. Set it to a large number, such as 3650.",
          report_.cleanup_source));
    } else if (report_.cleanup_days < kDefaultCleanupDays) {
      advise(fmt::format(
          "cleanupPeriodDays is {} in {}: sessions are deleted that many days after their last use. Set it to a larger "
          "number, such as 3650, to keep them.",
          report_.cleanup_days, report_.cleanup_source));
    }
    if (!report_.expiring.empty()) {
      advise(fmt::format("{} of {} sessions will be deleted within {} days: archive those you want to keep, or resume them once.",
                         report_.expiring.size(), report_.sessions, options_.warn_days));
    }
    if (!report_.duplicates.empty()) {
      advise("Some sessions exist in several project folders: name the project ({source_project}) when you work on one of them.");
    }
    const auto is_unknown = [](const Leftover& leftover) { return !leftover.trouble.empty(); };
    const auto unknown = std::ranges::count_if(report_.leftovers, is_unknown);
    if (unknown < std::ssize(report_.leftovers)) {
      advise("Operations died half way: the next clone, restore, move or delete undoes or finishes them.");
    }
    if (unknown > 0) {
      advise(
          "Of some operations it cannot be told any more what they put in place and took away, so nothing undoes or finishes "
          "them. In their folders, old-0, old-1, ... are your files that were taken away, new-0, ... copies that were not put in "
          "place yet. Move back what you miss, then remove the folder; a delete and a move also have a backup (holdfast restore "
          "--in-place).");
    }
    if (std::ranges::any_of(report_.sick, &DoctorReport::Sick::to_repair)) {
      advise(
          "Some transcripts are damaged: a repaired copy (doctor {fix}) keeps what can be read and leaves the original alone.");
    }
    if (std::ranges::any_of(report_.sick, [](const DoctorReport::Sick& sick) { return !sick.repaired_in.empty(); })) {
      advise("Some damaged transcripts have a repaired copy: resume that, and delete the damaged one when you are content.");
    }
  }
  void advise(std::string sentence) { report_.advice.push_back(std::move(sentence)); }

  const Home& home_;
  const DoctorOptions& options_;
  const Progress& progress_;
  std::set<std::string> folders_;  // those to look at
  DoctorReport report_;
};

JsonObject place_of(const SessionPlace& place) {
  return {{"session_id", place.session_id}, {"project_folder", place.project_folder}};
}

std::string_view will_be(const Leftover& leftover) {
  if (!leftover.trouble.empty()) return "left alone";
  return leftover.finishing ? "finished" : "undone";
}

}  // namespace

bool DoctorReport::healthy() const {
  return expiring.empty() && duplicates.empty() && leftovers.empty() &&
         std::ranges::all_of(sick, [](const Sick& one) { return one.report.ok; });
}

JsonObject to_json(const DoctorReport& report) {
  JsonArray expiring_list, duplicate_list, leftover_list, sick_list;
  for (const DoctorReport::Expiring& one : report.expiring) {
    JsonObject entry = place_of(one.place);
    entry["at"] = iso8601(one.at);
    entry["title"] = one.title;
    expiring_list.push_back(std::move(entry));
  }
  for (const DoctorReport::Duplicate& one : report.duplicates)
    duplicate_list.push_back(JsonObject{{"session_id", one.session_id}, {"project_folders", to_json_array(one.project_folders)}});
  for (const Leftover& one : report.leftovers) {
    std::vector<std::string> paths = one.new_paths;
    paths.insert(paths.end(), one.old_paths.begin(), one.old_paths.end());
    leftover_list.push_back(JsonObject{{"operation", one.operation},
                                       {"what", one.what},
                                       {"about", one.about},
                                       {"began_at", one.began_at > 0 ? Json(iso8601(one.began_at)) : Json(nullptr)},
                                       {"will_be", will_be(one)},
                                       {"folder", one.folder},
                                       {"trouble", one.trouble.empty() ? Json(nullptr) : Json(one.trouble)},
                                       {"paths", to_json_array(paths)}});
  }
  for (const DoctorReport::Sick& one : report.sick) {
    JsonObject entry = place_of(one.place);
    entry["report"] = to_json(one.report);
    entry["in_use"] = one.in_use;
    entry["repaired_session_id"] = one.repaired_in.empty() ? Json(nullptr) : Json(one.repaired_in);
    sick_list.push_back(std::move(entry));
  }
  return {{"healthy", report.healthy()},
          {"sessions", report.sessions},
          {"bytes", report.bytes},
          {"cleanup_days", report.cleanup_days},
          {"cleanup_is_default", report.cleanup_is_default},
          {"cleanup_source", report.cleanup_source.empty() ? Json(nullptr) : Json(report.cleanup_source)},
          {"advice", to_json_array(report.advice)},
          {"expiring", std::move(expiring_list)},
          {"duplicates", std::move(duplicate_list)},
          {"leftovers", std::move(leftover_list)},
          {"sick", std::move(sick_list)},
          {"stale_indexes", to_json_array(report.stale_indexes)},
          {"orphans", to_json_array(report.orphans)},
          {"orphans_more", report.orphans_more}};
}

Result<DoctorReport> examine(const Home& home, const DoctorOptions& options, const Progress& progress) {
  return Examining(home, options, progress).run();
}

}  // namespace holdfast::transcripts
