#pragma once

// Which files below a folder nobody wants to see: the rules of .gitignore files.
//
// One rule a line; '#' begins a comment, `\` takes away the meaning of what follows, blanks at the end do not count. `*` and `?`
// stay within a name, `[a-z]` and `[!a-z]` are sets, `**` spans folders (base/text/wildcard.h). A rule with a '/' that is not its
// last character is meant from the folder of its file, any other at every depth below. A trailing '/' means folders alone. `!`
// takes back; the last rule that fits decides. What is below an ignored folder is never looked at, so it cannot be taken back.
// Two oddities of git are not followed: there `[/]` spans folders in a set, and so does `a**` at the end of a rule.

#include "base/text/wildcard.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

class IgnoreRules {
 public:
  // More are dropped: a file of that many rules is no work of a person.
  static constexpr std::size_t kMaxRules = 4096;

  // folder: relative to the root, "" for the root itself. Rules added later decide over earlier ones.
  void add_text(std::string_view text, std::string_view folder);
  void add_rule(std::string_view rule, std::string_view folder);

  // path: relative to the root. Nothing when no rule fits, so that outer rules can be asked.
  std::optional<bool> verdict(std::string_view path, bool is_folder) const;
  bool ignores(std::string_view path, bool is_folder) const { return verdict(path, is_folder).value_or(false); }
  bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::string folder;           // with a trailing '/', or empty
    std::vector<Wildcard> names;  // one name, when it is not anchored
    bool anchored = false, folders_only = false, takes_back = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace holdfast
