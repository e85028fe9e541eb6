#include "base/schema/schema_pattern.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxPatternBytes = 16 * 1024;       // longer ones are data, not patterns
constexpr std::int64_t kPatternMemory = 2 * 1024 * 1024;  // program and states of one pattern; \p{L}{1,100} needs one
constexpr std::size_t kUnitsPerStep = 64;  // byte * instruction: two million steps of the worst pattern take some seconds

// Large programs mostly are \p{L} repeated, of which few instructions are alive at a time.
constexpr std::size_t kMaxCountedInstructions = 8000;

// The translation of ECMAScript patterns: one pass over the text, one function a construct.

// Without the brackets, so that they also serve inside a class.
constexpr std::string_view kSpace =
    R"(\t-\r\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kAny = R"(\x{0}-\x{10ffff})";
constexpr std::string_view kNotLineEnd = R"([^\n\r\x{2028}\x{2029}])";

// General categories by the long names ECMAScript allows; RE2 knows the short ones alone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 39> kCategories{{
    {"Close_Punctuation", "Pe"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Uppercase_Letter", "Lu"},
    {"cntrl", "Cc"},
    {"digit", "Nd"},
    {"punct", "P"},
}};

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}
bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

class Translation {
 public:
  explicit Translation(std::string_view text) : rest_(text) {}

  Result<std::string> run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\') {
        HF_CHECK(escape(false));
      } else if (c == '[') {
        HF_CHECK(character_class());
      } else if (c == '(') {
        HF_CHECK(group());
      } else {
        rest_.remove_prefix(1);
        if (c == '.') {
          out_ += kNotLineEnd;
        } else {
          out_ += c;
        }
      }
    }
    return std::move(out_);
  }

 private:
  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  void code_point(std::uint32_t value) { out_ += fmt::format("\\x{{{:x}}}", value); }

  std::optional<std::uint32_t> hex(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = hex_value(rest_[i]);
      if (digit < 0) return std::nullopt;
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // A group never captures: nobody asks for the captures, and RE2 is faster without.
  Result<void> group() {
    for (const std::string_view look : {"(?=", "(?!", "(?<=", "(?<!"}) {
      if (rest_.starts_with(look)) {
        return fail(ErrorKind::invalid, fmt::format("look-around \"{}...)\" is not supported", look));
      }
    }
    if (take("(?:")) {
      out_ += "(?:";
    } else if (take("(?i:")) {
      out_ += "(?i:";
    } else if (take("(?<") || take("(?P<")) {
      const std::size_t end = rest_.find('>');
      if (end == std::string_view::npos || end == 0) return fail(ErrorKind::invalid, "a group's name does not end");
      rest_.remove_prefix(end + 1);
      out_ += "(?:";
    } else if (rest_.starts_with("(?")) {
      return fail(ErrorKind::invalid, fmt::format("\"{}\" does not begin a group", rest_.substr(0, 3)));
    } else {
      rest_.remove_prefix(1);
      out_ += "(?:";
    }
    return {};
  }

  Result<void> character_class() {
    rest_.remove_prefix(1);
    const bool negated = take("^");
    if (take("]")) {  // empty: nothing, or anything
      out_ += negated ? "[" : "[^";
      out_ += kAny;
      out_ += ']';
      return {};
    }
    out_ += negated ? "[^" : "[";
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\') {
        HF_CHECK(escape(true));
        continue;
      }
      rest_.remove_prefix(1);
      if (c == ']') {
        out_ += c;
        return {};
      }
      if (c == '[' || c == '^') out_ += '\\';  // RE2 would see [:alpha:], or a negation
      out_ += c;
    }
    return fail(ErrorKind::invalid, "a character class does not end");
  }

  Result<void> escape(bool in_class) {
    rest_.remove_prefix(1);
    if (rest_.empty()) return fail(ErrorKind::invalid, "ends in a backslash");
    const char c = rest_.front();
    if (!is_ascii_letter(c) && !is_ascii_digit(c)) {
      rest_.remove_prefix(1);
      if (static_cast<unsigned char>(c) < 0x80) out_ += '\\';
      out_ += c;
      return {};
    }
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case 'f':
        rest_.remove_prefix(1);
        out_ += '\\';
        out_ += c;
        return {};
      case 's':
      case 'S':
        rest_.remove_prefix(1);
        if (!in_class) out_ += '[';
        out_ += c == 's' ? kSpace : kNotSpace;
        if (!in_class) out_ += ']';
        return {};
      case 'b':
      case 'B':
        if (in_class && c == 'B') break;
        rest_.remove_prefix(1);
        out_ += in_class ? R"(\x{8})" : (c == 'b' ? R"(\b)" : R"(\B)");
        return {};
      case 'c':
        if (rest_.size() < 2 || !is_ascii_letter(rest_[1])) break;
        code_point(static_cast<std::uint32_t>(rest_[1]) % 32);
        rest_.remove_prefix(2);
        return {};
      case '0':
        if (rest_.size() > 1 && is_ascii_digit(rest_[1])) break;
        rest_.remove_prefix(1);
        code_point(0);
        return {};
      case 'x': {
        rest_.remove_prefix(1);
        const auto value = hex(2);
        if (!value) return fail(ErrorKind::invalid, "\\x needs two hexadecimal digits");
        code_point(*value);
        return {};
      }
      case 'u':
        rest_.remove_prefix(1);
        return unicode_escape();
      case 'p':
      case 'P':
        rest_.remove_prefix(1);
        return property(c, in_class);
      case 'k':
        return fail(ErrorKind::invalid, "back-references are not supported");
      default:
        if (is_ascii_digit(c)) return fail(ErrorKind::invalid, "back-references are not supported");
        break;
    }
    return fail(ErrorKind::invalid, fmt::format("\"\\{}\" is not an ECMAScript escape", c));
  }

  Result<void> unicode_escape() {
    if (take("{")) {
      std::uint32_t value = 0;
      bool any = false;
      while (!rest_.empty() && hex_value(rest_.front()) >= 0 && value <= 0x10ffff) {
        value = value * 16 + static_cast<std::uint32_t>(hex_value(rest_.front()));
        rest_.remove_prefix(1);
        any = true;
      }
      if (!any || value > 0x10ffff || !take("}")) return fail(ErrorKind::invalid, "\\u{...} is not a code point");
      if (is_high_surrogate(value) || is_low_surrogate(value))
        return fail(ErrorKind::invalid, "a lone surrogate matches nothing");
      code_point(value);
      return {};
    }
    auto value = hex(4);
    if (!value) return fail(ErrorKind::invalid, "\\u needs four hexadecimal digits");
    if (is_high_surrogate(*value) && take("\\u")) {
      const auto low = hex(4);
      if (!low || !is_low_surrogate(*low)) return fail(ErrorKind::invalid, "a lone surrogate matches nothing");
      code_point(0x10000 + ((*value - 0xd800) << 10) + (*low - 0xdc00));
      return {};
    }
    if (is_high_surrogate(*value) || is_low_surrogate(*value))
      return fail(ErrorKind::invalid, "a lone surrogate matches nothing");
    code_point(*value);
    return {};
  }

  Result<void> property(char p, bool in_class) {
    const std::size_t end = rest_.find('}');
    if (!rest_.starts_with('{') || end == std::string_view::npos) {
      return fail(ErrorKind::invalid, fmt::format("\\{} needs a name in braces", p));
    }
    const std::string_view whole = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    std::string_view name = whole;
    for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="}) {
      if (name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
        break;
      }
    }
    const bool negated = p == 'P';
    if (name == "Any" || name == "ASCII") {
      std::string_view range = name == "Any" ? kAny : R"(\x{0}-\x{7f})";
      if (negated && in_class) {
        if (name == "ASCII") out_ += R"(\x{80}-\x{10ffff})";  // the complement of Any adds nothing
        return {};
      }
      if (!in_class) out_ += negated ? "[^" : "[";
      out_ += range;
      if (!in_class) out_ += ']';
      return {};
    }
    const auto found = std::ranges::find(kCategories, name, &std::pair<std::string_view, std::string_view>::first);
    if (found != kCategories.end()) name = found->second;
    const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) { return is_ascii_letter(c) || c == '_'; });
    if (!plain) return fail(ErrorKind::invalid, fmt::format("the property \"{}\" is not supported", whole));
    out_ += fmt::format("\\{}{{{}}}", p, name);
    return {};
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> program) : program_(std::move(program)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::compile(std::string_view ecma) {
  const std::string shown = shorten(ecma, 80);
  if (ecma.size() > kMaxPatternBytes) {
    return fail(ErrorKind::too_large, fmt::format("pattern \"{}\" is longer than {} bytes", shown, kMaxPatternBytes));
  }
  auto translated = to_re2(ecma);
  if (!translated) return fail(std::move(translated).error().within(fmt::format("pattern \"{}\"", shown)));

  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kPatternMemory);
  auto program = std::make_unique<re2::RE2>(*translated, options);
  if (!program->ok()) {
    const bool large = program->error_code() == re2::RE2::ErrorPatternTooLarge;
    return fail(large ? ErrorKind::too_large : ErrorKind::invalid, fmt::format("pattern \"{}\": {}", shown, program->error()));
  }
  return Pattern(std::move(program));
}

bool Pattern::found_in(std::string_view text) const {
  return program_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::size() const {
  return static_cast<std::size_t>(program_->ProgramSize());
}

std::size_t Pattern::cost(std::size_t bytes) const {
  return 1 + bytes * std::min(size(), kMaxCountedInstructions) / kUnitsPerStep;
}

Result<std::string> to_re2(std::string_view ecma) {
  return Translation(ecma).run();
}

}  // namespace holdfast::schema
