// holdfast guard list, show, cat, status: what the guard has.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/home/shown_path.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

constexpr std::size_t kPrintedAtOnce = 256 * 1024;

std::string_view product_name(transcripts::Product product) {
  return product == transcripts::Product::claude ? "claude" : "codex";
}

JsonObject kept_file_json(const session::KeptFile& file) {
  return {{"key", transcripts::shown_path(file.key)},
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
  HF_TRY(session::Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(auto sessions, transcripts::kept_sessions(*blobs));
  HF_TRY(const auto there, transcripts::ids_on_disk(work->homes()));
  HF_TRY(const auto missing, transcripts::missing_files(work->homes(), *blobs));
  if (context.given.flag("gone")) {
    std::erase_if(sessions, [&](const auto& each) { return there.contains(each.id) && !missing.contains(each.id); });
    std::ranges::sort(sessions, std::greater(), [](const auto& each) { return each.transcript.modified_at; });
  }
  transcripts::KeptLines lines(work->homes_keeper());
  JsonArray items;
  Table table({{"ID"}, {"PRODUCT"}, {"ORIGINAL"}, {"UPDATED"}, {"SIZE", true}, {"PROJECT"}, {"TITLE", false, true}});
  const Millis now = work->homes_keeper().now();
  for (const auto& session : sessions) {
    const bool gone = !there.contains(session.id);
    const auto lost = missing.find(session.id);
    const std::size_t count = lost == missing.end() ? 0 : lost->second;
    const auto line = lines.line_of(session);  // a damaged one is listed without a title
    const std::string title = line ? line->title : "", project = line ? line->project_path : "";
    if (context.json) {
      JsonObject item = kept_file_json(session.transcript);
      item["session_id"] = session.id;
      item["product"] = product_name(session.product);
      item["title"] = title;
      item["project_path"] = project;
      item["gone"] = gone;
      item["missing_files"] = count;
      items.push_back(std::move(item));
    } else {
      const std::string original = gone         ? "gone"
                                   : count == 0 ? "there"
                                                : fmt::format("lacks {} {}", count, count == 1 ? "file" : "files");
      table.add({session.id, std::string(product_name(session.product)), original,
                 session::age(session.transcript.modified_at, now), size_text(session.transcript.size), project, title});
    }
  }
  if (context.json) {
    const std::size_t count = items.size();
    print_json(JsonObject{{"sessions", std::move(items)}, {"count", count}});
  } else if (sessions.empty()) {
    print(context.given.flag("gone") ? "nothing is gone that the guard has\n"
                                     : "the guard has nothing yet; holdfast guard keeps what is there\n");
  } else {
    print(table.text(context.terminal));
  }
  return {};
}

Result<void> show_guarded(Context& context) {
  const operations::Given& given = context.given;
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(const auto session, transcripts::find_kept_session(*blobs, given.text("session")));
  HF_TRY(const auto version, work->kept_version());
  HF_TRY(const auto files, transcripts::files_of(*blobs, session, version));
  const bool one_each = version.number || version.as_of;
  std::size_t missing = 0;
  JsonArray items;
  Table table({{"FILE"}, {"VERSION", true}, {"ORIGINAL"}, {"SIZE", true}, {"MODIFIED"}, {"KEPT"}});
  bool gone = false;
  for (const session::KeptFile& chosen : files) {
    const auto named = transcripts::file_of_key(chosen.key).value_or(transcripts::GuardedFile{});
    HF_TRY(const auto there, transcripts::home_of(work->homes(), named.product).stat(named.path));
    missing += there ? 0 : 1;
    if (chosen.key == session.transcript.key) gone = !there;
    std::vector<session::KeptFile> versions = {chosen};
    if (!one_each) {
      HF_TRY(versions, blobs->versions(chosen.key));
    }
    for (const session::KeptFile& file : versions) {
      JsonObject item = kept_file_json(file);
      item["missing"] = !there;
      HF_TRY(const auto lost, blobs->gaps(file));
      JsonArray gaps;
      for (const auto& gap : lost) gaps.push_back(JsonObject{{"begin", gap.begin}, {"end", gap.end}});
      if (!gaps.empty()) item["lost"] = std::move(gaps);
      table.add({transcripts::shown_path(file.key), std::to_string(file.version),
                 lost.empty() ? (there ? "there" : "gone") : (there ? "there; damaged here" : "gone; damaged here"),
                 std::to_string(file.size), iso8601(file.modified_at), iso8601(file.kept_at)});
      items.push_back(std::move(item));
    }
  }
  const std::string restore = fmt::format("holdfast restore --in-place {}", session.id);
  if (context.json) {
    print_json(JsonObject{{"session_id", session.id},
                          {"product", product_name(session.product)},
                          {"gone", gone},
                          {"missing_files", missing},
                          {"files", std::move(items)},
                          {"restore_command", restore}});
    return {};
  }
  print(table.text(context.terminal));
  if (gone)
    print(fmt::format("the original is gone; this puts it back: {}\n", restore));
  else if (missing > 0)
    print(fmt::format("{} of its files {} gone; this puts back what is missing: {}\n", missing, missing == 1 ? "is" : "are",
                      restore));
  else
    print("the original is there\n");
  return {};
}

Result<void> print_guarded(Context& context) {
  const operations::Given& given = context.given;
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(const auto session, transcripts::find_kept_session(*blobs, given.text("session")));
  session::KeptFile file = session.transcript;
  if (const std::string wanted = given.text("file"); !wanted.empty()) {
    HF_TRY(const auto files, transcripts::files_of(*blobs, session));
    const auto is_it = [&](const std::string& key) {
      return key == wanted || key.ends_with("/" + wanted) || key.ends_with(":" + wanted);
    };
    const auto found = std::ranges::find_if(
        files, [&](const auto& each) { return is_it(each.key) || is_it(transcripts::shown_path(each.key)); });
    if (found == files.end()) {
      return fail(ErrorKind::not_found, fmt::format("the guard has no file {} of {}", wanted, session.id),
                  fmt::format("holdfast guard show {} lists them", session.id));
    }
    file = *found;
  }
  HF_TRY(const auto version, work->kept_version());
  HF_TRY(file, transcripts::chosen_version(*blobs, file, version, true));
  std::vector<session::Blobs::Gap> lost;
  std::string piece(kPrintedAtOnce, '\0');
  for (std::uint64_t at = 0; at < file.size;) {
    auto got = given.flag("partial") ? blobs->read_what_is_left(file, at, piece, lost) : blobs->read(file, at, piece);
    if (!got && got.error().kind == ErrorKind::corrupt)
      return fail(ErrorKind::corrupt, got.error().message, "--partial prints what is left, with zeros where bytes are lost");
    if (!got) return fail(std::move(got).error());
    if (*got == 0) break;
    print(std::string_view(piece).substr(0, *got));
    at += *got;
  }
  for (const auto& gap : lost)
    print_note(fmt::format("lost: bytes {} to {} of {} ({})\n", gap.begin, gap.end, file.size, harmless(gap.why, true)));
  return {};
}

Result<void> show_guard_status(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(const auto state, blobs->state());
  HF_TRY(const auto gone, transcripts::gone_sessions(work->homes(), *blobs));
  if (context.json) {
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
