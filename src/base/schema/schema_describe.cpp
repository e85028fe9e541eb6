#include "base/schema/schema_describe.h"

#include "base/schema/schema_program.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace holdfast {
namespace schema {
namespace {

constexpr std::size_t kShownBytes = 60;    // of a value or a key
constexpr std::size_t kMaxNameBytes = 64;  // longer names are not compared for likeness

void append_brief_text(std::string& out, std::string_view text, std::size_t room) {
  const std::string_view shown = utf8_prefix(text, room);
  append_json_string(out, shown);
  if (shown.size() < text.size()) out.insert(out.size() - 1, "…");
}

// Writes until the text is full; every level writes, so the depth is bounded by the room.
void append_brief(std::string& out, const Json& value) {
  if (out.size() > kShownBytes) return;
  if (value.is_string()) {
    append_brief_text(out, view(value.get_string()), kShownBytes - out.size());
  } else if (value.is_array()) {
    out += '[';
    for (const Json& item : value.get_array()) {
      if (out.size() > kShownBytes) break;
      if (out.back() != '[') out += ',';
      append_brief(out, item);
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    for (const auto& member : value.get_object()) {
      if (out.size() > kShownBytes) break;
      if (out.back() != '{') out += ',';
      append_brief_text(out, member.key(), kShownBytes - out.size());
      out += ':';
      append_brief(out, member.value());
    }
    out += '}';
  } else {
    append_json(out, value);
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kMaxNameBytes + 1> before{}, row{}, next{};
  std::iota(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(b.size()) + 1, std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[b.size()];
}

std::string lowered_without_separators(std::string_view name) {
  std::string text = to_ascii_lower(name);
  std::erase_if(text, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return text;
}

}  // namespace

std::string brief(const Json& value) {
  std::string text;
  append_brief(text, value);
  if (text.size() <= kShownBytes + 8 || value.is_string()) return text;
  text.resize(utf8_prefix(text, kShownBytes).size());
  return text + "…";
}

std::string quoted(std::string_view name) {
  std::string text;
  append_brief_text(text, name, kShownBytes);
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::string wrong_type(std::uint8_t wanted, const Json& got) {
  std::vector<std::string_view> names;
  if (wanted & kString) names.push_back("a string");
  if (wanted & kNumber) {
    names.push_back("a number");
  } else if (wanted & kInteger) {
    names.push_back("an integer");
  }
  if (wanted & kBoolean) names.push_back("a boolean");
  if (wanted & kObject) names.push_back("an object");
  if (wanted & kArray) names.push_back("an array");
  if (wanted & kNull) names.push_back("null");
  std::string text = "must be ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  if (names.empty()) text += "absent";
  text += ", got ";
  if (got.is_object()) return text + "an object";
  if (got.is_array()) return text + "an array";
  return text + brief(got);
}

std::string not_listed(std::span<const Json* const> wanted, std::size_t total, const Json& got) {
  if (wanted.empty()) return "is not allowed: no value is";
  if (total == 1) return fmt::format("must be {}; got {}", brief(*wanted[0]), brief(got));
  std::string text = "must be one of ";
  for (std::size_t i = 0; i < wanted.size() && i < kShownValues; ++i) {
    if (i > 0) text += ", ";
    text += brief(*wanted[i]);
  }
  if (total > kShownValues) text += fmt::format(", … ({} in all)", total);
  return text + "; got " + brief(got);
}

std::size_t cost_of_nearest(std::string_view wrong, std::size_t known) {
  constexpr std::size_t kCellsPerStep = 16;
  const std::size_t length = std::min(wrong.size(), kMaxNameBytes);
  return std::min(known, kMaxComparedNames) * (1 + length * length / kCellsPerStep);
}

std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known) {
  if (wrong.empty() || wrong.size() > kMaxNameBytes) return {};
  // A third of the letters may be wrong: "fo" for "foo", "sesion_id" for "session_id". Case, "_" and
  // "-" cost nothing: models mix up naming styles.
  const std::string plain = lowered_without_separators(wrong);
  std::size_t best = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  std::string_view found;
  for (const std::string_view name : known.first(std::min(known.size(), kMaxComparedNames))) {
    if (name.empty() || name.size() > kMaxNameBytes) continue;
    const std::string other = lowered_without_separators(name);
    const std::size_t apart = plain.size() > other.size() ? plain.size() - other.size() : other.size() - plain.size();
    if (apart >= best) continue;
    const std::size_t distance = edit_distance(plain, other);
    if (distance < best && distance < std::max(plain.size(), other.size())) {
      best = distance;
      found = name;
    }
  }
  return found;
}

}  // namespace schema

std::string describe(const std::vector<SchemaViolation>& violations) {
  std::string text;
  for (const SchemaViolation& violation : violations) {
    if (!text.empty()) text += "; ";
    if (violation.path.size() > 1) {
      std::string_view path = violation.path;
      path.remove_prefix(1);
      for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '~' && i + 1 < path.size()) {
          text += path[++i] == '0' ? '~' : '/';
        } else {
          text += path[i];
        }
      }
      text += ": ";
    }
    text += violation.message;
  }
  return text;
}

}  // namespace holdfast
