#include "mcp/oauth/challenge.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

bool is_token_char(char c) {
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return word || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Challenge> read() {
    std::vector<Challenge> challenges;
    while (true) {
      skip([](char c) { return is_blank(c) || c == ','; });
      const std::string_view word = take(is_token_char);
      if (word.empty()) return challenges;
      const std::size_t after_word = at_;
      skip(is_blank);
      if (next() == '=' && !challenges.empty()) {
        ++at_;
        skip(is_blank);
        auto value = read_value();
        if (!value) return challenges;
        challenges.back().parameters.emplace_back(to_ascii_lower(word), *std::move(value));
        continue;
      }
      // A scheme ends with a blank, a comma or the text.
      if (after_word < text_.size() && !is_blank(text_[after_word]) && text_[after_word] != ',') return challenges;
      challenges.push_back({to_ascii_lower(word), {}});
      skip_token68();
    }
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  template <class Accepts>
  std::string_view take(Accepts accepts) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && accepts(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  template <class Accepts>
  void skip(Accepts accepts) {
    take(accepts);
  }

  std::optional<std::string> read_value() {
    if (next() != '"') {
      const std::string_view word = take([](char c) { return !is_blank(c) && c != ',' && c != '"'; });
      return word.empty() ? std::nullopt : std::optional<std::string>(word);
    }
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return value;
      }
      if (text_[at_] == '\\' && ++at_ == text_.size()) return std::nullopt;
      value += text_[at_];
    }
    return std::nullopt;
  }

  // "Negotiate YII=": a single value instead of parameters, nothing that we know what to do with.
  void skip_token68() {
    const std::size_t begin = at_;
    skip([](char c) { return is_token_char(c) || c == '/'; });
    skip([](char c) { return c == '='; });
    const std::size_t end = at_;
    skip(is_blank);
    const bool alone = end > begin && (at_ == text_.size() || next() == ',');
    if (!alone) at_ = begin;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> Challenge::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, [](const auto& parameter) { return std::string_view(parameter.first); });
  return found == parameters.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::vector<std::string> Challenge::scopes() const {
  return split_scopes(parameter("scope").value_or(""));
}

std::vector<Challenge> parse_challenges(std::string_view header) {
  return Reader(header.substr(0, kMaxChallengeBytes)).read();
}

std::optional<Challenge> oauth_challenge(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::optional<Challenge> best;
  for (const auto& [name, value] : headers) {
    if (name != "www-authenticate") continue;
    for (Challenge& challenge : parse_challenges(value))
      if (challenge.scheme == "dpop" || (challenge.scheme == "bearer" && !best)) best = std::move(challenge);
  }
  return best;
}

std::vector<std::string> split_scopes(std::string_view text) {
  std::vector<std::string> scopes;
  while (!(text = trim(text)).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    if (std::ranges::find(scopes, word) == scopes.end()) scopes.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return scopes;
}

std::string join_scopes(const std::vector<std::string>& scopes) {
  std::string text;
  for (const std::string& scope : scopes) text += (text.empty() ? "" : " ") + scope;
  return text;
}

}  // namespace holdfast::mcp::oauth
