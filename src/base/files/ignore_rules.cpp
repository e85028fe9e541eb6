#include "base/files/ignore_rules.h"

#include "base/text/text.h"

namespace holdfast {
namespace {

constexpr std::size_t kMaxRuleBytes = 512;  // of one line
constexpr std::size_t kMaxNames = 64;       // folders of one rule; deeper than any tree we walk

// A blank at the end counts when a '\' stands in front of it.
std::string_view without_trailing_blanks(std::string_view rule) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < rule.size(); ++at) {
    if (rule[at] == '\\' && at + 1 < rule.size())
      end = ++at + 1;
    else if (rule[at] != ' ')
      end = at + 1;
  }
  return rule.substr(0, end);
}

// Of a '\' that takes away the meaning of nothing: git says such a rule never fits.
bool ends_in_escape(std::string_view rule) {
  std::size_t count = 0;
  while (rule.ends_with('\\')) {
    rule.remove_suffix(1);
    ++count;
  }
  return count % 2 == 1;
}

}  // namespace

void IgnoreRules::add_text(std::string_view text, std::string_view folder) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    add_rule(text.substr(0, newline), folder);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
  }
}

void IgnoreRules::add_rule(std::string_view rule, std::string_view folder) {
  if (rule.ends_with('\r')) rule.remove_suffix(1);
  if (rule.starts_with('#')) return;
  rule = without_trailing_blanks(rule);
  if (rule.empty() || ends_in_escape(rule) || rule.size() > kMaxRuleBytes || rules_.size() >= kMaxRules) return;
  Rule made;
  made.takes_back = rule.starts_with('!');
  if (made.takes_back) rule.remove_prefix(1);
  made.folders_only = rule.ends_with('/');
  while (rule.ends_with('/')) rule.remove_suffix(1);
  made.anchored = rule.find('/') != rule.npos;
  made.names = compile_path_wildcard(rule);
  if (made.names.empty() || made.names.size() > kMaxNames) return;
  if (!folder.empty()) made.folder = std::string(folder) + '/';
  rules_.push_back(std::move(made));
}

std::optional<bool> IgnoreRules::verdict(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if ((rule->folders_only && !is_folder) || !path.starts_with(rule->folder)) continue;
    const bool fits =
        rule->anchored ? matches_path(rule->names, path.substr(rule->folder.size())) : rule->names.front().matches(name);
    if (fits) return !rule->takes_back;
  }
  return std::nullopt;
}

}  // namespace holdfast
