#include "base/text/text.h"
#include "kinds/transcripts/remote/remote.h"
#include "net/run/child.h"

namespace holdfast::transcripts {
namespace {

constexpr std::chrono::seconds kLongestWait{5};  // it may ask a key ring, which may ask a person
constexpr std::size_t kMaxToken = 4096;

// Absence, refusal and nonsense are all the same: there is no token.
std::string ask_gh() {
  net::ChildCall call;
  call.arguments = {"gh", "auth", "token"};
  call.timeout = kLongestWait;
  call.max_output = kMaxToken;
  const auto result = net::run_child(call);
  if (!result || result->exit_code != 0) return {};
  const std::string_view token = trim(result->output);
  for (const char c : token)
    if (c <= ' ' || c > '~') return {};
  return std::string(token);
}

}  // namespace

std::string find_github_token(const std::string& option,
                              const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (!option.empty()) return option;
  if (const auto token = environment("GITHUB_TOKEN"); token && !trim(*token).empty()) return std::string(trim(*token));
  return ask_gh();
}

}  // namespace holdfast::transcripts
