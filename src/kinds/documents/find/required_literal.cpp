#include "kinds/documents/find/required_literal.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

constexpr std::string_view kPatternCharacters = "\\.+*?()|[]{}^$";
constexpr std::size_t kMostAlternatives = 8;  // beyond, one pass of the engine costs less than one for each

// One alternative at a time.
class Reader {
 public:
  Reader(std::string_view pattern, bool ignore_case) : pattern_(pattern), ignore_case_(ignore_case) {}

  RequiredLiteral run() {
    RequiredLiteral all;
    all.is_all = !ignore_case_;
    for (bool more = true; more;) {
      best_.clear();
      plain_ = true;
      if (!read_alternative()) return {};
      more = at_ < pattern_.size();
      ++at_;
      if (best_.empty() || all.any_of.size() == kMostAlternatives) return {};
      all.any_of.push_back(best_);
      all.is_all = all.is_all && plain_;
    }
    return all;
  }

 private:
  // Up to a '|' that is not in brackets, or to the end. False: given up.
  bool read_alternative() {
    for (; at_ < pattern_.size() && pattern_[at_] != '|'; ++at_) {
      const char c = pattern_[at_];
      if (c == '(' || c == '[' || c == ')') {
        end_run(false);
        if (c == ')' || !(c == '(' ? pass_group() : pass_class())) return false;
      } else if (c == '*' || c == '?' || c == '{') {
        drop_last();
        end_run(false);
        if (c == '{') at_ = std::min(pattern_.find('}', at_), pattern_.size() - 1);
      } else if (c == '+' || c == '.' || c == '^' || c == '$') {
        end_run(false);
      } else if (c == '\\') {
        if (++at_ >= pattern_.size()) return false;
        if (kPatternCharacters.find(pattern_[at_]) != std::string_view::npos)
          add(pattern_[at_]);
        else if (std::string_view("bBdDsSwW").find(pattern_[at_]) != std::string_view::npos)
          end_run(false);
        else
          return false;
      } else {
        add(c);
      }
    }
    end_run(true);
    return true;
  }

  void add(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (ignore_case_ && (byte >= 0x80 || (byte | 0x20) == 'k' || (byte | 0x20) == 's'))
      end_run(false);
    else
      run_ += c;
  }

  // What stands before a character that allows it to be missing: one character, whole.
  void drop_last() {
    while (!run_.empty() && (static_cast<unsigned char>(run_.back()) & 0xC0) == 0x80) run_.pop_back();
    if (!run_.empty()) run_.pop_back();
  }

  void end_run(bool at_the_end) {
    if (!at_the_end) plain_ = false;
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }

  // To its ']'.
  bool pass_class() {
    std::size_t end = at_ + 1;
    if (end < pattern_.size() && pattern_[end] == '^') ++end;
    if (end < pattern_.size() && pattern_[end] == ']') ++end;
    for (; end < pattern_.size() && pattern_[end] != ']'; ++end) {
      if (pattern_[end] == '[') return false;  // [[:alpha:]]
      if (pattern_[end] == '\\') ++end;
    }
    at_ = end;
    return end < pattern_.size();
  }

  // To its ')'. What is in it is not looked at, but flags would change what stands behind it.
  bool pass_group() {
    for (int depth = 0; at_ < pattern_.size(); ++at_) {
      const char c = pattern_[at_];
      if (c == '(') {
        const std::string_view next = pattern_.substr(at_ + 1, 2);
        if (next.starts_with('?') && next != "?:" && next != "?P") return false;
        ++depth;
      } else if (c == ')') {
        if (--depth == 0) return true;
      } else if (c == '[') {
        if (!pass_class()) return false;
      } else if (c == '\\') {
        ++at_;
        if (at_ < pattern_.size() && pattern_[at_] == 'Q') return false;
      }
    }
    return false;
  }

  std::string_view pattern_;
  bool ignore_case_;
  std::size_t at_ = 0;
  std::string run_, best_;
  bool plain_ = true;  // the alternative is nothing but its literal
};

}  // namespace

RequiredLiteral required_literal(std::string_view pattern, bool ignore_case) {
  return Reader(pattern, ignore_case).run();
}

}  // namespace holdfast::documents
