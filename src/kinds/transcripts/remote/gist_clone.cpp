#include "kinds/transcripts/remote/gist_clone.h"

#include "base/text/text.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace holdfast::transcripts {
namespace {

constexpr std::chrono::minutes kLongestClone{30};  // the largest gist over a slow line
constexpr std::chrono::minutes kLongestRead{2};    // from disk
constexpr std::size_t kMaxGitWords = 300;

// Never asks anybody anything: nobody may be there to answer.
Result<net::ChildResult> run_git(std::vector<std::string> arguments, std::chrono::milliseconds timeout, std::uint64_t max_output,
                                 const GistClone::GoOn& go_on) {
  net::ChildCall call;
  call.arguments = {"git"};
  call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
  call.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ASKPASS", "true"}, {"LC_ALL", "C"}};
  call.timeout = timeout;
  call.max_output = max_output;
  call.go_on = go_on;
  auto result = net::run_child(call);
  if (!result && result.error().kind == ErrorKind::not_found)
    return fail(ErrorKind::unavailable, "a file of the gist can only be fetched with git, which is not installed", "install git");
  return result;
}

}  // namespace

Result<GistClone> GistClone::make(const std::string& url, const std::string& folder, const GoOn& go_on) {
  // Other protocols of git run programs.
  if (!url.starts_with("https://") && !url.starts_with("http://"))
    return fail(ErrorKind::invalid,
                "the gist has no address that git may be given: " + shorten(to_valid_utf8(url), kMaxGitWords));
  std::string place = folder + "/.holdfast-gist-XXXXXX";
  if (!::mkdtemp(place.data())) return fail(system_error("temporary folder in " + folder, errno));
  GistClone clone(place);
  HF_TRY(const net::ChildResult result,
         run_git({"-c", "protocol.allow=never", "-c", "protocol.http.allow=always", "-c", "protocol.https.allow=always", "clone",
                  "--quiet", "--bare", "--depth", "1", "--no-tags", "--template=", "--", url, place + "/gist.git"},
                 kLongestClone, 1 << 20, go_on));
  if (result.exit_code != 0)
    return fail(ErrorKind::unavailable,
                "git could not fetch the gist: " + shorten(to_valid_utf8(trim(result.errors)), kMaxGitWords));
  return clone;
}

GistClone::GistClone(GistClone&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

GistClone::~GistClone() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<std::string> GistClone::read(const std::string& name, std::uint64_t max_bytes, const GoOn& go_on) const {
  HF_TRY(net::ChildResult result,
         run_git({"--git-dir=" + folder_ + "/gist.git", "cat-file", "blob", "HEAD:" + name}, kLongestRead, max_bytes, go_on));
  if (result.exit_code != 0) return fail(ErrorKind::corrupt, fmt::format("the gist has lost its file {}", name));
  return std::move(result.output);
}

}  // namespace holdfast::transcripts
