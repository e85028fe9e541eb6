#pragma once

// For tests: random JSON in the oddest spellings that are still JSON, and a way to damage it.

#include <cstdint>
#include <random>
#include <string>

namespace holdfast::jsonl {

class OddJson {
 public:
  explicit OddJson(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  std::string value(int depth = 4) {
    switch (depth > 0 ? below(7) : 3 + below(4)) {
      case 0:
      case 1:
        return object(depth);
      case 2:
        return array(depth);
      case 3:
        return pick({"0", "-0", "1.10", "1e400", "-12E+3", "123456789012345678901234567890", "0.0e-1"});
      case 4:
        return pick({"true", "false", "null"});
      default:
        return '"' + inside() + '"';
    }
  }

  std::string object(int depth = 4) {
    std::string out = "{" + blanks();
    const std::size_t count = below(5);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += "," + blanks();
      // Few names, so that they repeat within one object.
      out += '"' + (chance(2) ? pick({"id", "type", "i\\u0064", "cwd", "", "text"}) : inside()) + '"';
      out += blanks() + ":" + blanks() + value(depth - 1) + blanks();
    }
    return out + "}";
  }

  // The inside of a string.
  std::string inside() {
    std::string out;
    const std::size_t count = below(chance(20) ? 200 : 6);
    for (std::size_t i = 0; i < count; ++i)
      out += pick({"a",
                   "Z9",
                   "/home/old",
                   "\\/home\\/old",
                   "\\u002fhome\\u002Fold",
                   "\\\"",
                   "\\\\",
                   "\\n",
                   "\\b\\f\\r\\t",
                   "\\u0000",
                   "\\u00e9",
                   "\xC3\xA9",
                   "\\uD83D\\uDE00",
                   "\xF0\x9F\x98\x80",
                   "\\ud83d",
                   "\\udE00",
                   "{\\\"a\\\":[",
                   "}],:",
                   "\x7F",
                   " "});
    return out;
  }

  // Some bytes of the text changed, removed or added.
  std::string damaged(std::string text) {
    for (std::size_t i = 1 + below(3); i > 0; --i) {
      const std::size_t at = below(text.size() + 1);
      const char byte =
          chance(3) ? static_cast<char>(below(256)) : pick({"\"", "\\", "{", "}", "[", "]", ",", ":", " ", "1", "\xFF"})[0];
      if (at < text.size() && chance(2))
        chance(2) ? static_cast<void>(text.erase(at, 1)) : static_cast<void>(text[at] = byte);
      else
        text.insert(at, 1, byte);
    }
    return text;
  }

  std::string pick(std::initializer_list<const char*> choices) { return choices.begin()[below(choices.size())]; }

 private:
  std::string blanks() { return chance(4) ? pick({" ", "\t", "\r", "  \n "}) : ""; }
  std::string array(int depth) {
    std::string out = "[" + blanks();
    const std::size_t count = below(4);
    for (std::size_t i = 0; i < count; ++i) out += (i > 0 ? "," : "") + blanks() + value(depth - 1) + blanks();
    return out + "]";
  }

  std::mt19937_64 random_;
};

}  // namespace holdfast::jsonl
