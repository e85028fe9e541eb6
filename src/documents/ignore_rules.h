#pragma once

// What .gitignore says, as git reads it: patterns of one folder, later ones win, "!" takes back, "/" anchors, a trailing "/"
// means folders.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

class IgnoreRules {
 public:
  // Lines that make no sense are passed over, as git does.
  static IgnoreRules parse(std::string_view text);

  enum class Says { nothing, ignore, keep };
  // relative: below the folder the rules belong to.
  Says about(std::string_view relative, bool is_folder) const;
  bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::vector<std::string> segments;  // with "**" where any number may stand
    bool keep = false, folders_only = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace holdfast::documents
