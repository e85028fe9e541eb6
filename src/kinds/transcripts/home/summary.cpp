#include "kinds/transcripts/home/summary.h"

#include "base/text/text.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/products/claude/prompt.h"

#include <array>

namespace holdfast::transcripts {
namespace {

using jsonl::Token;
using jsonl::TokenKind;

enum SummaryField : std::size_t {
  kType,
  kCwd,
  kTimestamp,
  kVersion,
  kGitBranch,
  kCustomTitle,
  kAiTitle,
  kLastPrompt,
  kSummaryText,
  kIsSidechain,
  kIsMeta,
  kIsCompactSummary,
  kToolUseResult,
  kMessage,
  kFieldCount
};
constexpr std::array<std::string_view, kFieldCount> kSummaryFields = {
    "type",       "cwd",     "timestamp",   "version", "gitBranch",        "customTitle",   "aiTitle",
    "lastPrompt", "summary", "isSidechain", "isMeta",  "isCompactSummary", "toolUseResult", "message"};

// Takes the records in their order, some left out, and keeps what a list shows of them.
class SummaryGathering {
 public:
  explicit SummaryGathering(const FoundSession& session) : root_(session.place.project_folder) { summary_.session = session; }

  void take(std::string_view line) {
    const jsonl::LineReport report = scanner_.fields(line, kSummaryFields, found_);
    if (!report.parsed()) return;
    keep_changed(kCwd, cwd_, [&](const std::string& cwd) { root_.see(cwd); });
    keep_changed(kVersion, version_, [&](const std::string& version) { summary_.version = version; });
    keep_changed(kGitBranch, branch_, [&](const std::string& branch) { summary_.git_branch = branch; });
    keep_times();
    if (found_[kCustomTitle].kind == TokenKind::string) summary_.custom_title = title(kCustomTitle);
    if (found_[kAiTitle].kind == TokenKind::string) ai_title_ = title(kAiTitle);
    if (found_[kLastPrompt].kind == TokenKind::string) last_prompt_ = title(kLastPrompt);
    if (found_[kSummaryText].kind == TokenKind::string) summary_text_ = title(kSummaryText);
    if (!seen_sidechain_field_ && found_[kIsSidechain].kind == TokenKind::boolean) {
      seen_sidechain_field_ = true;
      summary_.sidechain = is_true(kIsSidechain);
    }
    if (first_prompt_.empty() && found_[kType].is("user")) keep_prompt();
  }

  Summary finish() {
    summary_.project_root = root_.root();
    summary_.first_cwd = root_.first_cwd();
    for (const std::string* text : {&summary_.custom_title, &ai_title_, &last_prompt_, &summary_text_, &first_prompt_, &command_})
      if (summary_.title.empty()) summary_.title = *text;
    summary_.title = shorten(summary_.title, kTitleLength);
    return std::move(summary_);
  }

 private:
  bool is_true(SummaryField field) const { return found_[field].raw == "true"; }
  std::string title(SummaryField field) const { return one_line(found_[field].text(), kTitleLength); }

  // Most records repeat the value of the one before: a comparison of bytes then does.
  template <class Changed>
  void keep_changed(SummaryField field, std::string& last_raw, Changed changed) {
    const Token& token = found_[field];
    if (token.kind != TokenKind::string || token.raw == last_raw) return;
    last_raw = token.raw;
    changed(token.text());
  }

  void keep_times() {
    if (found_[kTimestamp].kind != TokenKind::string) return;
    const auto time = parse_time(found_[kTimestamp].text());
    if (!time) return;
    if (summary_.first_time == 0) summary_.first_time = *time;
    summary_.last_time = *time;
  }

  void keep_prompt() {
    if (is_true(kIsMeta) || is_true(kIsCompactSummary) || is_true(kIsSidechain)) return;
    if (found_[kToolUseResult].kind != TokenKind::missing || found_[kMessage].kind != TokenKind::object) return;
    Prompt prompt = prompt_of_message(found_[kMessage].raw);
    if (prompt.kind == Prompt::Kind::typed) first_prompt_ = std::move(prompt.text);
    if (prompt.kind == Prompt::Kind::command && command_.empty()) command_ = std::move(prompt.text);
  }

  Summary summary_;
  ProjectRoot root_;
  jsonl::Scanner scanner_;
  std::array<Token, kFieldCount> found_;
  std::string cwd_, version_, branch_;  // as spelled in the last record that had them
  std::string ai_title_, last_prompt_, summary_text_, first_prompt_, command_;
  bool seen_sidechain_field_ = false;
};

// Whole lines between two offsets; a line that begins before or ends behind is left out.
Result<void> take_range(const reading::ByteSource& bytes, std::uint64_t from, std::uint64_t to, SummaryGathering& gathering) {
  auto lines = lines_of(bytes, from, to);
  bool whole = from == 0;
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) return {};
    const bool complete = !line->ending.empty() || to == bytes.size;
    if (whole && complete && !line->overlong) gathering.take(line->text);
    whole = true;
  }
}

Result<reading::ByteSource> bytes_of(const Home& home, const FoundSession& session) {
  HF_TRY(Fd fd, home.open_file(session.place.transcript()));
  return reading::file_source(std::move(fd));
}

}  // namespace

Result<Summary> summarise(const reading::ByteSource& transcript, const FoundSession& session, bool whole) {
  SummaryGathering gathering(session);
  if (whole || transcript.size <= 2 * kSummaryBytes) {
    HF_CHECK(take_range(transcript, 0, transcript.size, gathering));
  } else {
    HF_CHECK(take_range(transcript, 0, kSummaryBytes, gathering));
    HF_CHECK(take_range(transcript, transcript.size - kSummaryBytes, transcript.size, gathering));
  }
  return gathering.finish();
}

Result<Summary> summarise(const Home& home, const FoundSession& session) {
  HF_TRY(const reading::ByteSource bytes, bytes_of(home, session));
  return summarise(bytes, session, false);
}

Result<Summary> summarise_whole(const Home& home, const FoundSession& session) {
  HF_TRY(const reading::ByteSource bytes, bytes_of(home, session));
  return summarise(bytes, session, true);
}

Result<std::string> project_root_of(const reading::ByteSource& transcript, const FoundSession& session) {
  HF_TRY(Summary ends, summarise(transcript, session, false));
  if (is_folder_of(session.place.project_folder, ends.project_root)) return std::move(ends.project_root);
  HF_TRY(Summary whole, summarise(transcript, session, true));
  return std::move(whole.project_root);
}

Result<std::string> project_root_of(const Home& home, const FoundSession& session) {
  HF_TRY(const reading::ByteSource bytes, bytes_of(home, session));
  return project_root_of(bytes, session);
}

}  // namespace holdfast::transcripts
