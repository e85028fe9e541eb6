// guard …: what clients write is kept, shown and looked after.

#include "kinds/transcripts/guard/guard.h"

#include "base/text/text.h"
#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/home/shown_path.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;
using session::Blobs;

// The guard, and the homes that it keeps.
struct GuardPlace {
  const transcripts::Keeper* keeper = nullptr;
  Blobs* blobs = nullptr;
};

Result<GuardPlace> guard_of(Context& context) {
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(Blobs* const blobs, keeper->guard());
  if (!blobs) return fail(ErrorKind::unavailable, "there is no guard here");
  return GuardPlace{keeper, blobs};
}

// A session that is kept, under an id as every command takes it.
Result<transcripts::KeptSession> kept_session(Context& context, const GuardPlace& kept, const std::string& id) {
  HF_TRY(const auto found, context.transcript(id, {}));
  HF_TRY(const auto copy, catalogue::find_copy(*kept.keeper, found.id(), true));
  return *copy.in_guard();
}

std::string_view word_of(transcripts::Product product) {
  return product == transcripts::Product::claude ? "claude" : "codex";
}

JsonObject facts_of(const session::KeptFile& file) {
  return {{"key", transcripts::shown_path(file.key)},
          {"version", file.version},
          {"size_bytes", file.size},
          {"sha256", file.sha256},
          {"mode", file.mode},
          {"modified_at", iso8601(file.modified_at)},
          {"kept_at", iso8601(file.kept_at)}};
}

// ---- guard ----

Result<Facts> keep_all(Context& context, const Given&) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  transcripts::Guard guard(kept.keeper->homes(), *kept.blobs);
  HF_TRY(const auto report, guard.keep_all(context.progress()));
  HF_TRY(const auto state, kept.blobs->state());
  Facts facts = to_json(report);
  facts["kept_files"] = state.files;
  facts["kept_bytes"] = state.bytes;
  facts["guard_bytes"] = state.stored_bytes;
  return facts;
}

// ---- guard list ----

constexpr std::array kListKeptParameters{Parameter{"gone", flag, "only those whose original is gone"}};

Result<Facts> list_kept(Context& context, const Given& given) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  HF_TRY(auto sessions, transcripts::kept_sessions(*kept.blobs));
  HF_TRY(const auto there, transcripts::ids_on_disk(kept.keeper->homes()));
  HF_TRY(const auto missing, transcripts::missing_files(kept.keeper->homes(), *kept.blobs));
  if (given.flag("gone")) {
    std::erase_if(sessions, [&](const auto& each) { return there.contains(each.id) && !missing.contains(each.id); });
    std::ranges::sort(sessions, std::greater(), [](const auto& each) { return each.transcript.modified_at; });
  }
  transcripts::KeptLines lines(*kept.keeper);
  JsonArray items;
  for (const auto& session : sessions) {
    const auto lost = missing.find(session.id);
    const auto line = lines.line_of(session);  // a damaged one is listed without a title
    JsonObject item = facts_of(session.transcript);
    item["session_id"] = session.id;
    item["product"] = word_of(session.product);
    item["title"] = line ? line->title : "";
    item["project_path"] = line ? line->project_path : "";
    item["gone"] = !there.contains(session.id);
    item["missing_files"] = lost == missing.end() ? 0 : lost->second;
    items.push_back(std::move(item));
  }
  const std::size_t count = items.size();
  return Facts{{"sessions", std::move(items)}, {"count", count}};
}

// ---- guard show ----

constexpr std::array kShowKeptParameters{kRecord, kVersion, kAsOf};

Result<JsonObject> shown_version(Blobs& blobs, const session::KeptFile& file, bool there) {
  JsonObject item = facts_of(file);
  item["missing"] = !there;
  HF_TRY(const auto lost, blobs.gaps(file));
  JsonArray gaps;
  for (const auto& gap : lost) gaps.push_back(JsonObject{{"begin", gap.begin}, {"end", gap.end}});
  if (!gaps.empty()) item["lost"] = std::move(gaps);
  return item;
}

Result<Facts> show_kept(Context& context, const Given& given) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  HF_TRY(const auto session, kept_session(context, kept, given.text("session")));
  HF_TRY(const auto version, version_of(given, context.now()));
  HF_TRY(const auto files, transcripts::files_of(*kept.blobs, session, version));
  std::size_t missing = 0;
  bool gone = false;
  JsonArray items;
  for (const session::KeptFile& chosen : files) {
    const auto named = transcripts::file_of_key(chosen.key).value_or(transcripts::GuardedFile{});
    HF_TRY(const auto there, transcripts::home_of(kept.keeper->homes(), named.product).stat(named.path));
    missing += there ? 0 : 1;
    if (chosen.key == session.transcript.key) gone = !there;
    std::vector<session::KeptFile> versions = {chosen};
    if (!version.number && !version.as_of) {
      HF_TRY(versions, kept.blobs->versions(chosen.key));
    }
    for (const session::KeptFile& file : versions) {
      HF_TRY(JsonObject item, shown_version(*kept.blobs, file, there.has_value()));
      items.push_back(std::move(item));
    }
  }
  return Facts{{"session_id", session.id},
               {"product", word_of(session.product)},
               {"gone", gone},
               {"missing_files", missing},
               {"files", std::move(items)},
               {"restore_command", fmt::format("holdfast restore --in-place {}", session.id)}};
}

// ---- guard cat ----

constexpr std::size_t kPrintedAtOnce = 256 * 1024;
constexpr std::array kPrintKeptParameters{
    kRecord, Parameter{.name = "file", .help = "a file of it", .fallback = "the transcript", .option = "FILE"},
    Parameter{"partial", flag, "of a damaged file what is left of it; says what is not"}, kVersion, kAsOf};

// By its key, as it is or as it is shown, or by the end of it. An empty name is the transcript.
Result<session::KeptFile> file_named(const GuardPlace& kept, const transcripts::KeptSession& session, const std::string& name) {
  if (name.empty()) return session.transcript;
  HF_TRY(const auto files, transcripts::files_of(*kept.blobs, session));
  const auto is_it = [&](const std::string& key) {
    return key == name || key.ends_with("/" + name) || key.ends_with(":" + name);
  };
  const auto found =
      std::ranges::find_if(files, [&](const auto& each) { return is_it(each.key) || is_it(transcripts::shown_path(each.key)); });
  if (found != files.end()) return *found;
  return fail(ErrorKind::not_found, fmt::format("the guard has no file {} of {}", name, session.id),
              fmt::format("holdfast guard show {} lists them", session.id));
}

Result<Facts> print_kept(Context& context, const Given& given) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  HF_TRY(const auto session, kept_session(context, kept, given.text("session")));
  HF_TRY(auto file, file_named(kept, session, given.text("file")));
  HF_TRY(const auto version, version_of(given, context.now()));
  HF_TRY(file, transcripts::chosen_version(*kept.blobs, file, version, true));
  std::vector<Blobs::Gap> lost;
  std::string piece(kPrintedAtOnce, '\0');
  for (std::uint64_t at = 0; at < file.size;) {
    auto got = given.flag("partial") ? kept.blobs->read_what_is_left(file, at, piece, lost) : kept.blobs->read(file, at, piece);
    if (!got && got.error().kind == ErrorKind::corrupt)
      return fail(ErrorKind::corrupt, got.error().message, "{partial} prints what is left, with zeros where bytes are lost");
    if (!got) return fail(std::move(got).error());
    if (*got == 0) break;
    HF_CHECK(context.print(std::string_view(piece).substr(0, *got)));
    at += *got;
  }
  JsonArray gaps;
  for (const auto& gap : lost) gaps.push_back(JsonObject{{"begin", gap.begin}, {"end", gap.end}, {"why", gap.why}});
  Facts facts = facts_of(file);
  facts["lost"] = std::move(gaps);
  return facts;
}

// ---- guard forget ----

constexpr std::array kForgetKeptParameters{needed("session", "ID", "ids, or unique starts of them", texts),
                                           Parameter{"yes", flag, "do it without asking"}};

Result<Facts> forget_kept(Context& context, const Given& given) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  HF_TRY(const auto there, transcripts::ids_on_disk(kept.keeper->homes()));
  std::vector<std::string> keys, ids;
  std::string what;
  for (const std::string& word : given.texts("session")) {
    HF_TRY(const auto session, kept_session(context, kept, word));
    HF_TRY(const auto files, transcripts::files_of(*kept.blobs, session));
    std::uint64_t bytes = 0;
    for (const session::KeptFile& file : files) {
      keys.push_back(file.key);
      bytes += file.size;
    }
    ids.push_back(session.id);
    what += fmt::format("{}{}: {} files, {} bytes; {}", what.empty() ? "" : "\n", session.id, files.size(), bytes,
                        there.contains(session.id) ? "the original is there, and the next pass will keep it again"
                                                   : "the original is gone: this cannot be undone");
  }
  if (!given.flag("yes")) HF_CHECK(context.agree(what, {}));
  HF_CHECK(kept.blobs->forget(keys));
  HF_CHECK(kept.blobs->scrub());
  return Facts{{"forgotten", to_json_array(ids)}, {"files", keys.size()}};
}

// ---- guard status, verify, repair ----

Result<Facts> guard_status(Context& context, const Given&) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  HF_TRY(const auto state, kept.blobs->state());
  HF_TRY(const auto gone, transcripts::gone_sessions(kept.keeper->homes(), *kept.blobs));
  return Facts{{"files", state.files},        {"versions", state.versions},
               {"bytes", state.bytes},        {"stored_bytes", state.stored_bytes},
               {"chunks", state.chunks},      {"garbage_bytes", state.garbage_bytes},
               {"gone_sessions", gone.size()}};
}

template <auto look>
Result<Facts> check_kept(Context& context, const Given&) {
  HF_TRY(const GuardPlace kept, guard_of(context));
  const auto told = [progress = context.progress()](std::uint64_t done, std::uint64_t total) {
    if (progress) progress("checking", done, total);
  };
  HF_TRY(const Blobs::Check check, (kept.blobs->*look)(told));
  JsonArray problems;
  for (const Blobs::Problem& each : check.problems) problems.push_back(JsonObject{{"key", each.key}, {"what", each.what}});
  return Facts{{"ok", problems.empty()}, {"chunks", check.chunks}, {"bytes", check.bytes}, {"problems", std::move(problems)}};
}

constexpr std::array kGuard{
    adds("guard", "keep all transcripts, so that nothing a client deletes is lost", {}, keep_all),
    reads("guard list", "sessions that are kept", kListKeptParameters, list_kept),
    reads("guard show", "the files of a session that is kept, and their versions", kShowKeptParameters, show_kept),
    reads("guard cat", "a kept file on standard output", kPrintKeptParameters, print_kept),
    removes("guard forget", "take sessions out of the guard for good, after asking", kForgetKeptParameters, forget_kept),
    reads("guard status", "how much is kept, and what it takes", {}, guard_status),
    reads("guard verify", "read everything that is kept and compare its hashes", {}, check_kept<&Blobs::verify>),
    changes("guard repair", "set aside what is damaged, to be taken again", {}, check_kept<&Blobs::repair>),
};

}  // namespace

std::span<const Operation> guard_operations() {
  return kGuard;
}

}  // namespace holdfast::operations
