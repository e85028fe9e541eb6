#include "kinds/documents/workspace/git_commit.h"

#include "base/text/text.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::documents {

namespace {

constexpr std::chrono::seconds kGitPatience{120};  // hooks may run a whole linter
constexpr std::size_t kShownErrors = 600;          // bytes of what git or a hook said: its last words

// Started from a hook or an alias we would inherit these, and work on another repository than the folder's.
const std::vector<std::string> kGit = {
    "env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "-u", "GIT_PREFIX", "git", "--literal-pathspecs",
    "-C"};

class Git {
 public:
  explicit Git(const CommitRequest& request) : folder_(request.folder) {
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
      if (!request.name.empty()) environment_.emplace_back(fmt::format("GIT_{}_NAME", who), request.name);
      if (!request.email.empty()) environment_.emplace_back(fmt::format("GIT_{}_EMAIL", who), request.email);
    }
    environment_.emplace_back("LC_ALL", "C.UTF-8");
    environment_.emplace_back("GIT_TERMINAL_PROMPT", "0");
  }

  Result<net::ChildResult> run(std::vector<std::string> arguments, std::string input = {}) const {
    net::ChildCall call;
    call.arguments = kGit;
    call.arguments.push_back(folder_);
    std::ranges::move(arguments, std::back_inserter(call.arguments));
    call.environment = environment_;
    call.input = std::move(input);
    call.timeout = kGitPatience;
    return net::run_child(call);
  }

 private:
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

std::string last_words(const net::ChildResult& result) {
  const std::string_view said = trim(result.errors.empty() ? result.output : result.errors);
  std::string_view end = said.size() > kShownErrors ? said.substr(said.size() - kShownErrors) : said;
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0U) == 0x80U) end.remove_prefix(1);
  return to_valid_utf8(end);
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

std::string message_of(const CommitRequest& request) {
  std::string message = fmt::format("Accept {} change{} to {}\n\n", request.changes, request.changes == 1 ? "" : "s",
                                    on_one_line(request.relative));
  for (const std::string& proposer : request.proposers) message += fmt::format("Proposed-by: {}\n", on_one_line(proposer));
  for (const std::string& session : request.sessions) message += fmt::format("Holdfast-Session: {}\n", on_one_line(session));
  return message;
}

Error refusal(const CommitRequest& request, std::string_view why) {
  return make_error(ErrorKind::refused, fmt::format("{} was not committed: {}", request.relative, why),
                    fmt::format("what was accepted stays; commit it with: git commit --only -- {}", request.relative),
                    "not_committed");
}

bool is_unmerged(std::string_view state) {
  return state.find('U') != std::string_view::npos || state == "AA" || state == "DD";
}

// The three in their order, each at the beginning of a line.
bool has_markers(std::string_view text) {
  int seen = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with("<<<<<<< ")) seen = 1;
    if (seen == 1 && (line == "=======" || line == "=======\r")) seen = 2;
    if (seen == 2 && line.starts_with(">>>>>>> ")) return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

}  // namespace

std::optional<std::string> find_work_tree(const std::string& folder) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::canonical(folder, error);
  if (error) return std::nullopt;
  for (;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", error)) return at.string();
    if (at == at.root_path()) return std::nullopt;
  }
}

Result<bool> has_merge_markers(const std::string& folder, const std::string& relative, std::string_view text) {
  if (has_markers(text)) return true;
  if (!find_work_tree(folder)) return false;
  CommitRequest request;
  request.folder = folder;
  auto listed = Git(request).run({"ls-files", "--unmerged", "--", relative});
  if (!listed && listed.error().kind == ErrorKind::not_found) return false;
  if (!listed) return fail(std::move(listed).error());
  return listed->exit_code == 0 && !listed->output.empty();
}

Result<std::string> commit_file(const CommitRequest& request) {
  if (!find_work_tree(request.folder)) return fail(refusal(request, "its folder is in no git work tree"));
  const Git git(request);
  HF_TRY(const auto status,
         git.run({"status", "--porcelain", "-z", "--untracked-files=all", "--ignored", "--", request.relative}));
  if (status.exit_code != 0) return fail(refusal(request, last_words(status)));
  const std::string_view state = std::string_view(status.output).substr(0, 2);
  if (state.empty()) return std::string();
  if (state == "!!") return fail(refusal(request, "git ignores it"));
  if (is_unmerged(state)) return fail(refusal(request, "a merge of it is not finished"));

  // `commit --only` knows tracked files alone; with the intent noted it takes a new one too.
  const bool is_new = state == "??";
  if (is_new) {
    HF_TRY(const auto added, git.run({"add", "--intent-to-add", "--", request.relative}));
    if (added.exit_code != 0) return fail(refusal(request, last_words(added)));
  }
  auto committed =
      git.run({"commit", "--only", "--quiet", "--cleanup=whitespace", "--file=-", "--", request.relative}, message_of(request));
  if (!committed || committed->exit_code != 0) {
    if (is_new) {
      if (auto forgotten = git.run({"rm", "--cached", "--quiet", "--", request.relative}); !forgotten)
        return fail(std::move(forgotten).error());
    }
    if (!committed) return fail(std::move(committed).error());
    return fail(refusal(request, last_words(*committed)));
  }
  HF_TRY(const auto head, git.run({"rev-parse", "HEAD"}));
  return std::string(trim(head.output));
}

}  // namespace holdfast::documents
