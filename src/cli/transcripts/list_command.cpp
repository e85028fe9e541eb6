// holdfast list: transcripts, newest first.

#include "base/text/uri.h"
#include "catalogue/list.h"
#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/reading/session_info.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kListedTranscripts = 20;

// What the client has of this folder's project; of all projects, or when asked, also what is only kept.
Result<catalogue::Filter> read_filter(TranscriptWork& work) {
  const operations::Given& given = work.given();
  HF_TRY(auto project, work.source_project());
  catalogue::Filter filter;
  session::Query& query = filter.query;
  query.kinds = {std::string(session::kTranscript)};
  query.limit = static_cast<std::size_t>(given.number("limit", kListedTranscripts));
  if (given.flag("kept"))
    query.statuses = {"kept"};
  else if (!given.flag("all"))
    query.statuses = {"running", "idle"};
  if (!given.flag("all") && !given.flag("kept") && !project) {
    HF_TRY(project, work.this_folder());
  }
  if (project) {
    HF_TRY(std::string root, canonical_root(*project));
    query.roots = {std::move(root)};
  }
  return filter;
}

}  // namespace

Result<void> list_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  HF_TRY(const catalogue::Filter filter, read_filter(*work));
  catalogue::Asker asker = work->asker();
  asker.store = {};  // it has no transcripts
  HF_TRY(const catalogue::Page page, catalogue::list(asker, filter));
  // What is asked for lies there alone.
  if (given.flag("kept") && !page.unread.empty()) return fail(page.unread.front());
  work->warn(page.warnings());
  const bool of_all = filter.query.roots.empty();
  const auto count = static_cast<std::int64_t>(page.items.size());
  if (context.json) {
    JsonArray sessions;
    for (const auto& [found, record, line] : page.items)
      sessions.push_back(to_json(line, record.status, std::string(find_string(record.data, "file").value_or(""))));
    print_json(JsonObject{
        {"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}});
    return {};
  }
  if (page.items.empty()) {
    print(!of_all
              ? fmt::format("no sessions of {}; --all lists those of every project\n", harmless(filter.query.roots.front(), true))
          : given.flag("kept") ? "nothing is gone that is kept\n"
                               : "no sessions\n");
    return {};
  }
  std::vector<Table::Column> columns = {{"ID"}, {"STATE"}, {"UPDATED"}, {"SIZE", true}};
  if (of_all) columns.insert(columns.begin() + 1, {"PRODUCT"});
  if (of_all) columns.push_back({"PROJECT"});
  columns.push_back({"TITLE", false, true});
  Table table(columns);
  const Millis now = work->homes_keeper().now();
  for (const auto& [found, record, line] : page.items) {
    const std::string id = context.verbose ? record.id : record.id.substr(0, kShortId);
    std::vector<std::string> cells = {id, record.status, session::age(record.updated_at, now), size_text(line.session.size())};
    if (of_all) cells.insert(cells.begin() + 1, std::string(line.session.product()));
    if (of_all) cells.push_back(line.project_path);
    cells.push_back(line.title);
    table.add(std::move(cells));
  }
  print(table.text(context.terminal));
  if (page.total > count) print(context.terminal.soft(fmt::format("{} of {}; --limit shows more", count, page.total)) + "\n");
  return {};
}

}  // namespace holdfast::cli
