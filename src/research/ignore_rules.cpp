#include "research/ignore_rules.h"

#include "base/text.h"

#include <algorithm>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxRuleBytes = 512;  // of one line
constexpr std::size_t kMaxNames = 64;       // folders of one rule; deeper than any tree we walk

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) names.push_back(path.substr(0, slash));
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
  }
  return names;
}

// The set at the front of the glob, which begins with '[', against c. Returns its length, 0 when it is not closed.
std::size_t match_set(std::string_view glob, char c, bool& fits) {
  const auto value = static_cast<unsigned char>(c);
  std::size_t at = 1;
  const bool inverted = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (inverted) ++at;
  fits = false;
  for (const std::size_t first = at; at < glob.size(); ++at) {
    if (glob[at] == ']' && at != first) {
      fits = fits != inverted;
      return at + 1;
    }
    const auto low = static_cast<unsigned char>(glob[at]);
    auto high = low;
    if (at + 2 < glob.size() && glob[at + 1] == '-' && glob[at + 2] != ']') {
      high = static_cast<unsigned char>(glob[at + 2]);
      at += 2;
    }
    if (value >= low && value <= high) fits = true;
  }
  return 0;
}

// Whether the first sign of the glob takes c; `length` gets what it is long.
bool match_one(std::string_view glob, char c, std::size_t& length) {
  length = 1;
  if (glob[0] == '?') return true;
  if (glob[0] == '[') {
    bool fits = false;
    if (const std::size_t set = match_set(glob, c, fits); set != 0) {
      length = set;
      return fits;
    }
  }
  return glob[0] == c;
}

}  // namespace

bool matches_glob(std::string_view glob, std::string_view name) {
  std::size_t at = 0, in = 0;
  std::size_t star = glob.npos, resume = 0;  // the last '*', and how far it had reached
  while (in < name.size()) {
    std::size_t length = 0;
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      resume = in;
    } else if (at < glob.size() && match_one(glob.substr(at), name[in], length)) {
      at += length;
      ++in;
    } else if (star != glob.npos) {
      at = star + 1;
      in = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', at) == glob.npos;
}

namespace {

// The same, of whole names: "**" is the star here.
bool matches_path(const std::vector<std::string>& globs, const std::vector<std::string_view>& names) {
  std::size_t at = 0, in = 0;
  std::size_t star = globs.size(), resume = 0;
  while (in < names.size()) {
    if (at < globs.size() && globs[at] == "**") {
      star = at++;
      resume = in;
    } else if (at < globs.size() && matches_glob(globs[at], names[in])) {
      ++at;
      ++in;
    } else if (star != globs.size()) {
      at = star + 1;
      in = ++resume;
    } else {
      return false;
    }
  }
  // "a/**" is what is below a, not a itself.
  return at == globs.size();
}

}  // namespace

void IgnoreRules::add_text(std::string_view text, std::string_view folder) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    add_rule(text.substr(0, newline), folder);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
  }
}

void IgnoreRules::add_rule(std::string_view rule, std::string_view folder) {
  if (rule.ends_with('\r')) rule.remove_suffix(1);
  while (rule.ends_with(' ') && !rule.ends_with("\\ ")) rule.remove_suffix(1);
  if (rule.empty() || rule.starts_with('#') || rule.size() > kMaxRuleBytes || rules_.size() >= kMaxRules) return;
  Rule made;
  made.takes_back = rule.starts_with('!');
  if (made.takes_back || rule.starts_with("\\#") || rule.starts_with("\\!")) rule.remove_prefix(1);
  made.folders_only = rule.ends_with('/');
  while (rule.ends_with('/')) rule.remove_suffix(1);
  made.anchored = rule.find('/') != rule.npos;
  for (const std::string_view name : names_of(rule)) {
    std::string& kept = made.names.emplace_back(name);
    if (kept.ends_with("\\ ")) kept.replace(kept.size() - 2, 2, " ");
  }
  if (made.names.empty() || made.names.size() > kMaxNames) return;
  if (!folder.empty()) made.folder = std::string(folder) + '/';
  rules_.push_back(std::move(made));
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if ((rule->folders_only && !is_folder) || !path.starts_with(rule->folder)) continue;
    const bool fits = rule->anchored ? matches_path(rule->names, names_of(path.substr(rule->folder.size())))
                                     : matches_glob(rule->names.front(), name);
    if (fits) return !rule->takes_back;
  }
  return false;
}

}  // namespace holdfast::research
