// info, lineage: what is known of transcripts; nothing is changed.

#include "base/ids.h"
#include "catalogue/files.h"
#include "kinds/transcripts/reading/session_info.h"
#include "operations/sessions/notes.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <array>

namespace holdfast::operations {

namespace {

// ---- info ----

constexpr std::array kInfoParameters{kSession, kSourceProject};

Result<Facts> info(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(const auto found, context.transcript(given.text("session"), given.text("source_project")));
  HF_TRY(const auto told, catalogue::describe(*keeper, found, context.progress()));
  Facts facts = to_json(told);
  if (const auto store = context.store(true)) {
    HF_TRY(JsonArray notes, notes_of(**store, found.id()));
    if (!notes.empty()) facts["notes"] = std::move(notes);
  }
  return facts;
}

// ---- lineage ----

constexpr std::array kLineageParameters{kSession, kSourceProject};

Result<Facts> lineage(Context& context, const Given& given) {
  HF_TRY(const std::string id, id_of_family(context, given));
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(const auto tree, keeper->lineage(id));
  if (tree) return to_json(*tree);
  return Facts{{"root_session_id", nullptr}, {"queried_session_id", id}, {"nodes", JsonObject{}}};
}

constexpr std::array kTelling{
    Operation{.name = "info",
              .summary = "one transcript: files, state, family, what it used",
              .parameters = kInfoParameters,
              .run = info},
    Operation{.name = "lineage",
              .summary = "where a session came from and what came of it",
              .parameters = kLineageParameters,
              .run = lineage},
};

}  // namespace

Result<std::string> id_of_family(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  const std::string id = given.text("session");
  auto session = context.transcript(id, given.text("source_project"));
  if (session) return session->id();
  if (id.empty() || session.error().kind != ErrorKind::not_found) return fail(std::move(session).error());
  if (is_uuid(id)) return id;
  return keeper->remembered(id, std::move(session).error());
}

std::span<const Operation> telling_operations() {
  return kTelling;
}

}  // namespace holdfast::operations
