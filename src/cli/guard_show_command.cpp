// holdfast guard list, show, cat, status: what the guard has.

#include "cli/commands.h"
#include "cli/transcript_work.h"
#include "session/display.h"
#include "transcripts/kept_home.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

constexpr std::size_t kPiece = 256 * 1024;

std::string_view name_of(transcripts::Product product) {
  return product == transcripts::Product::claude ? "claude" : "codex";
}

JsonObject to_json(const session::KeptFile& file) {
  return {{"key", file.key},
          {"version", file.version},
          {"size_bytes", file.size},
          {"sha256", file.sha256},
          {"mode", file.mode},
          {"modified_at", iso8601(file.modified_at)},
          {"kept_at", iso8601(file.kept_at)}};
}

}  // namespace

Result<void> list_guarded(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->keeper().guard());
  HF_TRY(const auto sessions,
         context.line.guard.gone ? transcripts::gone_sessions(work->homes(), *blobs) : transcripts::kept_sessions(*blobs));
  HF_TRY(const auto there, transcripts::ids_on_disk(work->homes()));
  std::unique_ptr<transcripts::KeptHome> home;
  if (!sessions.empty()) {
    HF_TRY(const std::string folder, work->keeper().temporary_folder());
    HF_TRY(auto made, transcripts::KeptHome::make(folder, *blobs));
    home = std::make_unique<transcripts::KeptHome>(std::move(made));
  }
  JsonArray items;
  Table table({{"ID"}, {"PRODUCT"}, {"ORIGINAL"}, {"UPDATED"}, {"SIZE", true}, {"PROJECT"}, {"TITLE", false, true}});
  const Millis now = work->keeper().now();
  for (const auto& session : sessions) {
    const bool gone = !there.contains(session.id);
    const auto line = home->line_of(session);  // a damaged one is listed without a title
    const std::string title = line ? line->title : "", project = line ? line->project_path : "";
    if (context.line.json) {
      JsonObject item = to_json(session.transcript);
      item["session_id"] = session.id;
      item["product"] = name_of(session.product);
      item["title"] = title;
      item["project_path"] = project;
      item["gone"] = gone;
      items.push_back(std::move(item));
    } else {
      table.add({session.id, std::string(name_of(session.product)), gone ? "gone" : "there",
                 session::age(session.transcript.modified_at, now), size_text(session.transcript.size), project, title});
    }
  }
  if (context.line.json) {
    const std::size_t count = items.size();
    print_json(JsonObject{{"sessions", std::move(items)}, {"count", count}});
  } else if (sessions.empty()) {
    print(context.line.guard.gone ? "nothing is gone that the guard has\n"
                                  : "the guard has nothing yet; holdfast guard keeps what is there\n");
  } else {
    print(table.text(context.terminal));
  }
  return {};
}

Result<void> show_guarded(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->keeper().guard());
  HF_TRY(const auto session, transcripts::find_kept_session(*blobs, context.line.guard.words.front()));
  HF_TRY(const auto there, transcripts::ids_on_disk(work->homes()));
  HF_TRY(const auto files, transcripts::files_of(*blobs, session));
  const bool gone = !there.contains(session.id);
  JsonArray items;
  Table table({{"FILE"}, {"VERSION", true}, {"SIZE", true}, {"MODIFIED"}, {"KEPT"}});
  for (const session::KeptFile& newest : files) {
    HF_TRY(const auto versions, blobs->versions(newest.key));
    for (const session::KeptFile& file : versions) {
      items.push_back(to_json(file));
      table.add(
          {file.key, std::to_string(file.version), std::to_string(file.size), iso8601(file.modified_at), iso8601(file.kept_at)});
    }
  }
  const std::string restore = fmt::format("holdfast restore --in-place {}", session.id);
  if (context.line.json) {
    print_json(JsonObject{{"session_id", session.id},
                          {"product", name_of(session.product)},
                          {"gone", gone},
                          {"files", std::move(items)},
                          {"restore_command", restore}});
    return {};
  }
  print(table.text(context.terminal));
  print(gone ? fmt::format("the original is gone; this puts it back: {}\n", restore) : "the original is there\n");
  return {};
}

Result<void> print_guarded(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->keeper().guard());
  const std::vector<std::string>& words = context.line.guard.words;
  HF_TRY(const auto session, transcripts::find_kept_session(*blobs, words.front()));
  session::KeptFile file = session.transcript;
  if (words.size() > 1) {
    HF_TRY(const auto files, transcripts::files_of(*blobs, session));
    const auto found = std::ranges::find_if(files, [&](const auto& each) {
      return each.key == words[1] || each.key.ends_with("/" + words[1]) || each.key.ends_with(":" + words[1]);
    });
    if (found == files.end()) {
      return fail(ErrorKind::not_found, fmt::format("the guard has no file {} of {}", words[1], session.id),
                  fmt::format("holdfast guard show {} lists them", session.id));
    }
    file = *found;
  }
  std::string piece(kPiece, '\0');
  for (std::uint64_t at = 0; at < file.size;) {
    HF_TRY(const std::size_t got, blobs->read(file, at, piece));
    if (got == 0) break;
    print(std::string_view(piece).substr(0, got));
    at += got;
  }
  return {};
}

Result<void> show_guard_status(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->keeper().guard());
  HF_TRY(const auto state, blobs->state());
  HF_TRY(const auto gone, transcripts::gone_sessions(work->homes(), *blobs));
  if (context.line.json) {
    print_json(JsonObject{{"files", state.files},
                          {"versions", state.versions},
                          {"bytes", state.bytes},
                          {"stored_bytes", state.stored_bytes},
                          {"chunks", state.chunks},
                          {"garbage_bytes", state.garbage_bytes},
                          {"gone_sessions", gone.size()}});
    return {};
  }
  print(fmt::format(
      "{} files in {} versions, {}\nstored in {}, of that {} to be packed anew\n{} sessions that the client no longer has\n",
      state.files, state.versions, size_text(state.bytes), size_text(state.stored_bytes), size_text(state.garbage_bytes),
      gone.size()));
  return {};
}

}  // namespace holdfast::cli
