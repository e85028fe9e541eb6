// Whatever a server writes into WWW-Authenticate is read without harm: names are words in lower case, and what was read reads
// the same when it is written down again.

#include "base/text/text.h"
#include "mcp/oauth/challenge.h"

#include <cstdint>

using namespace holdfast;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

std::string written(const mcp::oauth::Challenge& challenge) {
  std::string text = challenge.scheme;
  for (const auto& [name, value] : challenge.parameters) {
    text += text.size() == challenge.scheme.size() ? " " : ", ";
    text += name + "=\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  for (const mcp::oauth::Challenge& challenge : mcp::oauth::parse_challenges(header)) {
    require(!challenge.scheme.empty() && challenge.scheme == to_ascii_lower(challenge.scheme));
    for (const std::string& scope : challenge.scopes()) require(!scope.empty() && scope.find(' ') == scope.npos);
    const std::string text = written(challenge);
    if (text.size() > mcp::oauth::kMaxChallengeBytes) continue;
    const auto again = mcp::oauth::parse_challenges(text);
    require(again.size() == 1 && again[0].scheme == challenge.scheme && again[0].parameters == challenge.parameters);
  }
  return 0;
}
