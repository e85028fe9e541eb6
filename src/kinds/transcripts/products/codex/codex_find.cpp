// Where Codex keeps its sessions, and what a list shows of them.

#include "base/text/text.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/products/claude/prompt.h"
#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <fmt/format.h>

#include <dirent.h>

#include <algorithm>
#include <map>

namespace holdfast::transcripts {
namespace {

using ById = std::map<std::string, CodexSession, std::less<>>;

bool is_better(const CodexSession& a, const CodexSession& b) {
  if (a.compressed != b.compressed) return b.compressed;
  if (a.archived != b.archived) return b.archived;
  return a.mtime > b.mtime;
}

// `depth` more levels of folders (year, month, day), then files.
Result<void> collect(const Home& home, const std::string& folder, int depth, ById& found) {
  HF_TRY(const auto entries, home.entries(folder));
  for (const Home::Entry& entry : entries) {
    const std::string path = folder + "/" + entry.name;
    if (depth > 0) {
      if (entry.type == DT_DIR) HF_CHECK(collect(home, path, depth - 1, found));
      continue;
    }
    const auto file = entry.type == DT_REG ? codex_file_of(path) : std::nullopt;
    if (!file) continue;
    HF_TRY(const auto status, home.stat(path));
    if (!status) continue;
    CodexSession session;
    session.id = file->id;
    session.path = path;
    session.archived = file->archived;
    session.compressed = file->compressed;
    session.size = static_cast<std::uint64_t>(status->st_size);
    session.mtime = mtime_of(*status);
    const auto known = found.find(session.id);
    if (known == found.end() || is_better(session, known->second)) found.insert_or_assign(session.id, std::move(session));
  }
  return {};
}

Error ambiguous(std::string_view text, const std::vector<CodexSession>& found) {
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), kShownMatches); ++i)
    list += fmt::format("\n  {}  {} bytes, {}, {}", found[i].id, found[i].size, iso8601(found[i].mtime), found[i].path);
  if (found.size() > kShownMatches) list += fmt::format("\n  and {} more", found.size() - kShownMatches);
  return make_error(ErrorKind::ambiguous, fmt::format("{} fits {} Codex sessions:{}", text, found.size(), list),
                    "give more of the id");
}

// Append-only: the last name given is the one that counts.
std::string name_in_index(const Home& home, std::string_view id) {
  auto fd = home.open_file("session_index.jsonl");
  if (!fd) return {};
  const auto file = jsonl::LiveFile::of(*std::move(fd));
  if (!file) return {};
  auto lines = file->lines();
  jsonl::Scanner scanner;
  constexpr std::array<std::string_view, 2> kNames = {"id", "thread_name"};
  std::array<jsonl::Token, 2> found;
  std::string name;
  for (;;) {
    const auto line = lines.next();
    if (!line || !*line) return name;
    if ((*line)->overlong || !(*line)->text.contains(id)) continue;
    scanner.fields((*line)->text, kNames, found);
    if (found[0].is(id) && found[1].kind == jsonl::TokenKind::string) name = one_line(found[1].text(), kTitleLength);
  }
}

// Records in their order, some left out.
class CodexGathering {
 public:
  explicit CodexGathering(CodexSession& session) : session_(session) {}

  void take(std::string_view line) {
    constexpr std::array<std::string_view, 3> kNames = {"timestamp", "type", "payload"};
    scanner_.fields(line, kNames, found_);
    if (const auto time = parse_time(found_[0].text())) {
      if (session_.first_time == 0) session_.first_time = *time;
      session_.last_time = *time;
    }
    if (found_[2].kind != jsonl::TokenKind::object) return;
    if (found_[1].is("session_meta") && !seen_meta_) take_meta();
    if (found_[1].is("event_msg") && prompt_.empty()) take_event();
  }
  const std::string& prompt() const { return prompt_; }

 private:
  // Only the first is the session's own (§12).
  void take_meta() {
    const auto payload = parse_json(found_[2].raw);
    if (!payload || !payload->is_object()) return;
    seen_meta_ = true;
    const JsonObject& meta = payload->get_object();
    session_.cwd = find_string(meta, "cwd").value_or("");
    session_.version = find_string(meta, "cli_version").value_or("");
    session_.forked_from = find_string(meta, "forked_from_id").value_or("");
    if (const JsonObject* git = find_object(meta, "git")) session_.git_branch = find_string(*git, "branch").value_or("");
  }

  void take_event() {
    constexpr std::array<std::string_view, 2> kNames = {"type", "message"};
    std::array<jsonl::Token, 2> event;
    scanner_.fields(found_[2].raw, kNames, event);
    if (event[0].is("user_message")) prompt_ = one_line(event[1].text(), kTitleLength);
  }

  CodexSession& session_;
  jsonl::Scanner scanner_;
  std::array<jsonl::Token, 3> found_;
  std::string prompt_;
  bool seen_meta_ = false;
};

// Whole lines from `from` on, until one begins at `until` or behind.
Result<void> take_lines(jsonl::LineReader lines, std::uint64_t until, CodexGathering& gathering, bool starts_whole = true) {
  for (bool whole = starts_whole;; whole = true) {
    HF_TRY(const auto line, lines.next());
    if (!line || line->offset >= until) return {};
    if (whole && !line->overlong) gathering.take(line->text);
  }
}

Result<void> take_rollout(const reading::ByteSource& rollout, const CodexSession& session, CodexGathering& gathering) {
  if (session.compressed) {
    HF_TRY(auto lines, lines_of_zstd(in_order(rollout)));
    return take_lines(std::move(lines), kMaxUnpackedBytes, gathering);
  }
  if (rollout.size <= 2 * kSummaryBytes) return take_lines(lines_of(rollout), rollout.size, gathering);
  // The first record holds the instructions and may be longer than the head: it is read to its end.
  HF_CHECK(take_lines(lines_of(rollout), kSummaryBytes, gathering));
  return take_lines(lines_of(rollout, rollout.size - kSummaryBytes), kSummaryBytes, gathering, false);
}

}  // namespace

Result<std::vector<CodexSession>> codex_sessions(const Home& home) {
  ById found;
  HF_CHECK(collect(home, "sessions", 3, found));
  HF_CHECK(collect(home, "archived_sessions", 0, found));
  std::vector<CodexSession> sessions;
  for (auto& [id, session] : found) sessions.push_back(std::move(session));
  return sessions;
}

Result<CodexSession> find_codex_session(const Home& home, std::string_view id_or_prefix) {
  HF_CHECK(check_start_of_session_id(id_or_prefix));
  HF_TRY(auto sessions, codex_sessions(home));
  const std::string wanted = to_ascii_lower(id_or_prefix);
  std::erase_if(sessions, [&](const CodexSession& session) { return !session.id.starts_with(wanted); });
  if (sessions.size() == 1) return std::move(sessions.front());
  if (!sessions.empty()) return fail(ambiguous(id_or_prefix, sessions));
  return fail(ErrorKind::not_found, fmt::format("no Codex session {} in {}", id_or_prefix, home.absolute("sessions")));
}

Result<CodexSession> summarise_codex(const reading::ByteSource& rollout, CodexSession session) {
  CodexGathering gathering(session);
  if (auto taken = take_rollout(rollout, session, gathering); !taken && taken.error().kind != ErrorKind::corrupt)
    return fail(std::move(taken).error());
  session.title = gathering.prompt();
  return session;
}

Result<CodexSession> summarise_codex(const Home& home, CodexSession session) {
  HF_TRY(Fd fd, home.open_file(session.path));
  HF_TRY(const reading::ByteSource rollout, reading::file_source(std::move(fd)));
  HF_TRY(CodexSession summary, summarise_codex(rollout, std::move(session)));
  if (std::string name = name_in_index(home, summary.id); !name.empty()) summary.title = std::move(name);
  return summary;
}

}  // namespace holdfast::transcripts
