#pragma once

// What a server says when it refuses for want of authorization: the WWW-Authenticate header (RFC 9110 §11.6.1).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp::oauth {

// A longer header is cut here: two addresses and a list of scopes are what it is for.
inline constexpr std::size_t kMaxChallengeBytes = 16 * 1024;

struct Challenge {
  std::string scheme;                                           // lower case: "bearer", "dpop"
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case, values without their quotes

  std::optional<std::string_view> parameter(std::string_view name) const;  // the first of that name
  std::vector<std::string> scopes() const;                                 // the words of "scope"
};

// All challenges of one header. Never fails: what cannot be read ends the reading, what came before counts.
std::vector<Challenge> parse_challenges(std::string_view header);

// Of several headers' challenges the one that OAuth answers: dpop before bearer. nullopt: none.
std::optional<Challenge> oauth_challenge(const std::vector<std::pair<std::string, std::string>>& headers);

// Words between blanks, each once, in their order.
std::vector<std::string> split_scopes(std::string_view text);
std::string join_scopes(const std::vector<std::string>& scopes);

}  // namespace holdfast::mcp::oauth
