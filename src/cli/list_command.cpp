// holdfast list: transcripts on disk, newest first.

#include "cli/commands.h"
#include "cli/transcript_work.h"
#include "session/display.h"
#include "transcripts/running.h"
#include "transcripts/session_info.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kListed = 20;
constexpr std::size_t kShortId = 8;  // unique among the sessions of one person, nearly always

// Ids of sessions that are in use.
Result<std::set<std::string>> running_sessions(const transcripts::Homes& homes) {
  HF_TRY(const auto clients, transcripts::live_clients(homes.claude));
  std::set<std::string> ids;
  for (const auto& client : clients) ids.insert(client.session_id);
  return ids;
}

}  // namespace

Result<void> list_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const TranscriptArguments& given = work->given();
  HF_TRY(auto project, work->source_project());
  if (!given.all && !project) {
    HF_TRY(project, work->this_folder());
  }
  const transcripts::Homes& homes = work->homes();
  HF_TRY(const auto lines, homes.list(project, static_cast<std::size_t>(given.limit > 0 ? given.limit : kListed)));
  HF_TRY(const auto running, running_sessions(homes));
  const Millis now = work->keeper().now();
  auto state_of = [&](const transcripts::AnySession& session) {
    const bool in_use = running.contains(session.id()) || session.mtime() > now - transcripts::kRecentlyWritten;
    return std::string_view(in_use ? "running" : "idle");
  };
  if (context.line.json) {
    JsonArray sessions;
    for (const auto& line : lines.sessions)
      sessions.push_back(to_json(line, state_of(line.session), homes.of(line.session).absolute(line.session.path())));
    const std::size_t count = sessions.size();
    print_json(JsonObject{
        {"sessions", std::move(sessions)}, {"count", count}, {"total", lines.total}, {"hasMore", lines.total > count}});
    return {};
  }
  if (lines.sessions.empty()) {
    print(project ? fmt::format("no sessions of {}; --all lists those of every project\n", harmless(*project, true))
                  : "no sessions\n");
    return {};
  }
  std::vector<Table::Column> columns = {{"ID"}, {"STATE"}, {"UPDATED"}, {"SIZE", true}};
  if (given.all) columns.insert(columns.begin() + 1, {"PRODUCT"});
  if (given.all) columns.push_back({"PROJECT"});
  columns.push_back({"TITLE", false, true});
  Table table(columns);
  for (const auto& line : lines.sessions) {
    const auto& session = line.session;
    const std::string id = context.line.verbose ? session.id() : session.id().substr(0, kShortId);
    std::vector<std::string> cells = {id, std::string(state_of(session)), session::age(session.mtime(), now),
                                      size_text(session.size())};
    if (given.all) cells.insert(cells.begin() + 1, std::string(session.product()));
    if (given.all) cells.push_back(line.project_path);
    cells.push_back(line.title);
    table.add(std::move(cells));
  }
  print(table.text(context.terminal));
  if (lines.total > lines.sessions.size())
    print(context.terminal.soft(fmt::format("{} of {}; --limit shows more", lines.sessions.size(), lines.total)) + "\n");
  return {};
}

}  // namespace holdfast::cli
