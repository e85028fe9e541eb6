// holdfast list: transcripts on disk, newest first.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/guard/kept_home.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/reading/session_info.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kListedTranscripts = 20;

// Those that only the guard has, among the others; `kept` gets their ids.
Result<void> add_kept(const TranscriptWork& work, const std::optional<std::string>& project, std::size_t limit,
                      transcripts::Homes::Lines& lines, std::set<std::string>& kept) {
  HF_TRY(session::Blobs* const guard, work.homes_keeper().guard());
  HF_TRY(auto gone, transcripts::gone_sessions(work.homes(), *guard));
  std::erase_if(gone, [&](const transcripts::KeptSession& each) {
    return project && !transcripts::is_folder_of(each.place.project_folder, *project);
  });
  if (gone.empty()) return {};
  HF_TRY(const std::string folder, work.homes_keeper().temporary_folder());
  HF_TRY(auto home, transcripts::KeptHome::make(folder, guard));
  lines.total += gone.size();
  for (std::size_t i = 0; i < gone.size() && i < limit; ++i) {
    auto line = home.line_of(gone[i]);
    if (!line) continue;  // damaged: holdfast guard verify tells
    kept.insert(gone[i].id);
    lines.sessions.push_back(*std::move(line));
  }
  std::sort(lines.sessions.begin(), lines.sessions.end(),
            [](const auto& a, const auto& b) { return a.session.mtime() > b.session.mtime(); });
  if (lines.sessions.size() > limit) lines.sessions.resize(limit);
  return {};
}

}  // namespace

Result<void> list_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  HF_TRY(auto project, work->source_project());
  const bool of_all = given.flag("all"), only_kept = given.flag("kept");
  if (!of_all && !only_kept && !project) {
    HF_TRY(project, work->this_folder());
  }
  const transcripts::Homes& homes = work->homes();
  const auto limit = static_cast<std::size_t>(given.number("limit", kListedTranscripts));
  transcripts::Homes::Lines lines;
  if (!only_kept) {
    HF_TRY(lines, homes.list(project, limit));
  }
  std::set<std::string> kept;
  if (of_all || only_kept) {
    if (const auto added = add_kept(*work, project, limit, lines, kept); !added) {
      if (only_kept) return added;
      work->warn({"the guard cannot be read: " + added.error().message});
    }
  }
  const Millis now = work->homes_keeper().now();
  HF_TRY(const auto activity, transcripts::Activity::read(homes.claude, now));
  auto state_of = [&](const transcripts::AnySession& session) {
    return kept.contains(session.id()) ? std::string_view("kept") : activity.of(session.id(), session.mtime()).word();
  };
  if (context.json) {
    JsonArray sessions;
    for (const auto& line : lines.sessions)
      sessions.push_back(to_json(line, state_of(line.session),
                                 kept.contains(line.session.id()) ? "guard:" + line.session.id()
                                                                  : homes.of(line.session).absolute(line.session.path())));
    const std::size_t count = sessions.size();
    print_json(JsonObject{
        {"sessions", std::move(sessions)}, {"count", count}, {"total", lines.total}, {"hasMore", lines.total > count}});
    return {};
  }
  if (lines.sessions.empty()) {
    print(project     ? fmt::format("no sessions of {}; --all lists those of every project\n", harmless(*project, true))
          : only_kept ? "nothing is gone that the guard has\n"
                      : "no sessions\n");
    return {};
  }
  std::vector<Table::Column> columns = {{"ID"}, {"STATE"}, {"UPDATED"}, {"SIZE", true}};
  const bool several = !project;
  if (several) columns.insert(columns.begin() + 1, {"PRODUCT"});
  if (several) columns.push_back({"PROJECT"});
  columns.push_back({"TITLE", false, true});
  Table table(columns);
  for (const auto& line : lines.sessions) {
    const auto& session = line.session;
    const std::string id = context.verbose ? session.id() : session.id().substr(0, kShortId);
    std::vector<std::string> cells = {id, std::string(state_of(session)), session::age(session.mtime(), now),
                                      size_text(session.size())};
    if (several) cells.insert(cells.begin() + 1, std::string(session.product()));
    if (several) cells.push_back(line.project_path);
    cells.push_back(line.title);
    table.add(std::move(cells));
  }
  print(table.text(context.terminal));
  if (lines.total > lines.sessions.size())
    print(context.terminal.soft(fmt::format("{} of {}; --limit shows more", lines.sessions.size(), lines.total)) + "\n");
  return {};
}

}  // namespace holdfast::cli
