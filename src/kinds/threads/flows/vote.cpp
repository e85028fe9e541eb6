#include "kinds/threads/flows/vote.h"

#include "base/text/text.h"

#include <algorithm>
#include <map>

namespace holdfast::threads {

std::string normalised(std::string_view answer) {
  std::string out;
  bool gap = false;
  for (const char c : fold_case(answer)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool counts = byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z');
    if (counts && gap && !out.empty()) out += ' ';
    if (counts) out += c;
    gap = !counts;
  }
  // An answer of nothing but symbols ("+", "-") is told apart by them.
  return out.empty() ? std::string(trim(answer)) : out;
}

std::vector<Option> options_of(const std::vector<std::string>& answers) {
  std::vector<Option> options;
  for (std::size_t voter = 0; voter < answers.size(); ++voter) {
    std::string normal = normalised(answers[voter]);
    auto option = std::ranges::find(options, normal, &Option::normal);
    if (option == options.end()) option = options.insert(options.end(), {std::move(normal), {}});
    option->voters.push_back(voter);
  }
  return options;
}

std::optional<std::size_t> majority(const std::vector<std::optional<std::size_t>>& votes, std::size_t voters) {
  std::map<std::size_t, std::size_t> counts;
  for (const auto& vote : votes)
    if (vote && ++counts[*vote] * 2 > voters) return *vote;
  return std::nullopt;
}

}  // namespace holdfast::threads
