// info, lineage, verify, drift, schema: what is known of transcripts; nothing is changed.

#include "base/ids.h"
#include "catalogue/files.h"
#include "kinds/transcripts/reading/drift.h"
#include "kinds/transcripts/reading/known_records.h"
#include "kinds/transcripts/reading/session_info.h"
#include "operations/sessions/notes.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <array>
#include <filesystem>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

// ---- info ----

constexpr std::array kInfoParameters{
    kSession,
    kSourceProject,
    Parameter{.name = "cost", .type = flag, .help = "what that costs, by the table in prices.json"},
};

Result<Facts> info(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(const auto found, context.transcript(given.text("session"), given.text("source_project")));
  HF_TRY(auto told, catalogue::describe(*keeper, found, context.progress()));
  if (given.flag("cost")) {
    HF_TRY(const auto prices, transcripts::read_prices(context.prices_path()));
    told.cost = cost_of(told.usage, prices);
  }
  Facts facts = to_json(told);
  if (const auto store = context.store(true)) {
    HF_TRY(JsonArray notes, notes_of(**store, found.id()));
    if (!notes.empty()) facts["notes"] = std::move(notes);
  }
  return facts;
}

// ---- lineage ----

constexpr std::array kLineageParameters{kSession, kSourceProject};

// A session whose files are gone has its family still: it is looked for where sessions lie first and then among those remembered.
Result<Facts> lineage(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  std::string id = given.text("session");
  auto session = context.transcript(id, given.text("source_project"));
  if (session)
    id = session->id();
  else if (id.empty() || session.error().kind != ErrorKind::not_found)
    return fail(std::move(session).error());
  else if (!is_uuid(id)) {
    HF_TRY(id, keeper->remembered(id, session.error()));
  }
  HF_TRY(const auto tree, keeper->lineage(id));
  if (tree) return to_json(*tree);
  return Facts{{"root_session_id", nullptr}, {"queried_session_id", id}, {"nodes", JsonObject{}}};
}

// ---- verify, drift ----

constexpr std::array kVerifyParameters{
    Parameter{.name = "what",
              .help = "an archive as restore takes it, or the id of a session",
              .fallback = kSession.fallback,
              .may_be_empty = false,
              .option = "WHAT"},
    kSourceProject,
    kGistToken,
};
constexpr std::array kDriftParameters{kSession, kSourceProject};

// An archive is what is not an id: somewhere else, or a file that exists.
bool is_archive(const std::string& text) {
  std::error_code ignored;
  return text == "-" || transcripts::is_remote(text) || text.find_first_of("/.") != std::string::npos ||
         std::filesystem::exists(text, ignored);
}

Result<Facts> verify(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  std::string what = given.text("what");
  const transcripts::Progress progress = context.progress();
  if (is_archive(what)) {
    if (what != "-" && !transcripts::is_remote(what)) {
      HF_TRY(what, context.absolute(what));
    }
    HF_TRY(auto archive, transcripts::open_archive(*keeper, what, remote_of(context, given), progress));
    HF_TRY(auto reader, transcripts::ArchiveReader::open(std::move(archive.file)));
    HF_TRY(const auto report, verify_archive(reader, progress));
    return to_json(report);
  }
  HF_TRY(const auto found, context.transcript(what, given.text("source_project")));
  HF_TRY(const auto report, catalogue::verify(*keeper, found, progress));
  return to_json(report);
}

Result<Facts> drift(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  const transcripts::Home& claude = keeper->homes().claude;
  std::vector<transcripts::FoundSession> sessions;
  if (!given.has("session")) {
    HF_TRY(const auto project, context.folder(given.text("source_project")));
    HF_TRY(sessions, all_sessions(claude, project));
  } else {
    HF_TRY(const auto session, catalogue::on_disk(context.transcript(given.text("session"), given.text("source_project"))));
    if (session.codex())
      return fail(ErrorKind::invalid, "there is no table of Codex's records to compare with", "give a session of Claude Code");
    sessions.push_back(*session.claude());
  }
  HF_TRY(const auto report, find_drift(claude, sessions, context.progress()));
  return to_json(report);
}

Result<Facts> schema(Context&, const Given&) {
  return transcripts::record_schema();
}

constexpr std::array kTelling{
    Operation{.name = "info",
              .summary = "one transcript: files, state, family, what it used",
              .parameters = kInfoParameters,
              .owner_only = true,
              .run = info},
    Operation{.name = "lineage",
              .summary = "where a session came from and what came of it",
              .parameters = kLineageParameters,
              .owner_only = true,
              .run = lineage},
    Operation{.name = "verify",
              .summary = "is an archive or a session whole?",
              .parameters = kVerifyParameters,
              .reaches_out = true,
              .owner_only = true,
              .run = verify},
    Operation{.name = "drift",
              .summary = "what holds records that this version does not know",
              .parameters = kDriftParameters,
              .owner_only = true,
              .run = drift},
    Operation{.name = "schema", .summary = "the records this version knows, as JSON Schema", .run = schema},
};

}  // namespace

std::span<const Operation> telling_operations() {
  return kTelling;
}

}  // namespace holdfast::operations
