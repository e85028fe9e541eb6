#pragma once

// Which files below a folder are not documents: globs in the manner of .gitignore.
//
// One rule a line; '#' begins a comment. `*` and `?` stay within a name, `[a-z]` and `[!a-z]` are sets, `**` spans folders. A
// rule with a '/' that is not its last character is meant from the folder of its file, any other at every depth below. A trailing
// '/' means folders alone. `!` takes back; the last rule that fits decides. What is below an ignored folder is never looked at,
// so it cannot be taken back. Beyond git: nothing; missing of git: escapes other than `\#`, `\!` and `\ `.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

class IgnoreRules {
 public:
  // More are dropped: a file of that many rules is no work of a person.
  static constexpr std::size_t kMaxRules = 4096;

  // folder: relative to the root, "" for the root itself. Rules added later decide over earlier ones.
  void add_text(std::string_view text, std::string_view folder);
  void add_rule(std::string_view rule, std::string_view folder);

  // path: relative to the root.
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;              // with a trailing '/', or empty
    std::vector<std::string> names;  // the glob, cut at '/'; "**" alone is any number of folders
    bool anchored = false, folders_only = false, takes_back = false;
  };
  std::vector<Rule> rules_;
};

// A single name against a glob without '/'. At worst the product of both lengths.
bool matches_glob(std::string_view glob, std::string_view name);

}  // namespace holdfast::research
