// verify, doctor: is it whole, and what will become of it?

#include "catalogue/files.h"
#include "kinds/transcripts/reading/drift.h"
#include "kinds/transcripts/verbs/doctor.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <array>
#include <filesystem>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

// ---- verify ----

constexpr std::array kVerifyTranscriptParameters{
    Parameter{.name = "what",
              .help = "an archive as restore takes it, or the id of a session",
              .fallback = "the session this runs in",
              .may_be_empty = false,
              .option = "WHAT"},
    kOfFolder, Parameter{"drift", flag, "what holds records that this version does not know"}, kGistToken};

// An archive is what is not an id: somewhere else, or a file that exists.
bool is_archive(const std::string& text) {
  std::error_code ignored;
  return text == "-" || transcripts::is_remote(text) || text.find_first_of("/.") != std::string::npos ||
         std::filesystem::exists(text, ignored);
}

Result<Facts> find_new_records(Context& context, const Given& given, const transcripts::Keeper& keeper) {
  const std::string what = given.text("what"), folder = given.text("source_project");
  const transcripts::Home& home = keeper.homes().claude;
  std::vector<transcripts::FoundSession> sessions;
  if (what.empty()) {
    HF_TRY(const auto project, context.folder(folder));
    HF_TRY(sessions, all_sessions(home, project));
  } else {
    HF_TRY(const auto session, catalogue::on_disk(context.transcript(what, folder)));
    if (session.codex())
      return fail(ErrorKind::invalid, "there is no table of Codex's records to compare with", "give a session of Claude Code");
    sessions.push_back(*session.claude());
  }
  HF_TRY(const auto report, find_drift(home, sessions, context.progress()));
  return to_json(report);
}

Result<Facts> verify_transcript(Context& context, const Given& given) {
  const std::string what = given.text("what");
  HF_TRY(const auto* const keeper, context.keeper_for(is_archive(what) ? "" : what));
  if (given.flag("drift")) return find_new_records(context, given, *keeper);
  const transcripts::Progress progress = context.progress();
  if (is_archive(what)) {
    HF_TRY(auto archive, transcripts::open_archive(*keeper, what, remote_of(context, given), progress));
    HF_TRY(auto reader, transcripts::ArchiveReader::open(std::move(archive.file)));
    HF_TRY(const auto report, verify_archive(reader, progress));
    return to_json(report);
  }
  HF_TRY(const auto found, context.transcript(what, given.text("source_project")));
  HF_TRY(const auto report, catalogue::verify(*keeper, found, progress));
  return to_json(report);
}

// ---- doctor ----

constexpr std::array kDoctorParameters{
    kOfFolder, Parameter{"quick", flag, "names and times only; no transcript is read"},
    bounded("days", "warn of what will be cleaned up within N days", "7", 1, 3650),
    Parameter{"fix", flag, "repaired copies beside damaged sessions; ends what died half-way"}};

JsonObject repaired_copy(const transcripts::Keeper& keeper, const transcripts::DoctorReport::Sick& sick) {
  const auto copy = keeper.repair({sick.place, 0, 0}, transcripts::id_of_repaired(sick.place, sick.report));
  return {{"session_id", sick.place.session_id},
          {"repaired_session_id", copy ? Json(copy->new_session_id) : Json(nullptr)},
          {"error", copy ? Json(nullptr) : Json(copy.error().message)},
          {"warnings", copy ? to_json_array(copy->warnings) : JsonArray()}};
}

Result<Facts> examine_home(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  transcripts::DoctorOptions options;
  HF_TRY(options.project_path, context.folder(given.text("source_project")));
  options.deep = !given.flag("quick");
  options.warn_days = static_cast<int>(given.number("days", options.warn_days));
  options.now = keeper->now();
  HF_TRY(const auto report, transcripts::examine(keeper->homes().claude, options, context.progress()));
  Facts facts = to_json(report);
  JsonArray repaired;
  for (std::size_t i = 0; i < report.sick.size(); ++i) {
    const bool to_repair = report.sick[i].to_repair();
    facts["sick"].get_array()[i].get_object()["to_repair"] = to_repair;
    if (to_repair && given.flag("fix")) repaired.push_back(repaired_copy(*keeper, report.sick[i]));
  }
  facts["repaired"] = std::move(repaired);
  return facts;
}

constexpr std::array kChecking{
    Operation{.name = "verify",
              .summary = "is an archive or a session whole?",
              .parameters = kVerifyTranscriptParameters,
              .reaches_out = true,
              .run = verify_transcript},
    adds("doctor", "what is wrong, or soon will be, with the transcripts", kDoctorParameters, examine_home),
};

}  // namespace

std::span<const Operation> checking_operations() {
  return kChecking;
}

}  // namespace holdfast::operations
