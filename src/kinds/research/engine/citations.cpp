#include "base/text/text.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/text/markdown_text.h"
#include "kinds/research/text/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

namespace holdfast::research {

namespace {

constexpr std::array<std::string_view, 7> kSourceHeadings = {"sources",     "references",      "bibliography", "citations",
                                                             "works cited", "list of sources", "sources cited"};

int heading_level(std::string_view line) {
  int level = 0;
  while (static_cast<std::size_t>(level) < line.size() && line[static_cast<std::size_t>(level)] == '#') ++level;
  const auto behind = static_cast<std::size_t>(level);
  return level > 0 && level <= 6 && behind < line.size() && line[behind] == ' ' ? level : 0;
}

std::string heading_text(std::string_view line) {
  std::string_view text = trim(line.substr(line.find_first_not_of('#')));
  while (!text.empty() && (text.back() == ':' || text.back() == '#' || text.back() == '*')) text.remove_suffix(1);
  while (!text.empty() && text.front() == '*') text.remove_prefix(1);
  return std::string(trim(text));
}

bool names_sources(std::string_view title) {
  return std::ranges::find(kSourceHeadings, to_ascii_lower(title)) != kSourceHeadings.end();
}

// "**Sources:**" and the like, which models write instead of a heading.
bool is_source_label(std::string_view line) {
  if (!line.starts_with("**") && !line.ends_with(':')) return false;
  std::string text;
  for (const char c : line)
    if (c != '*' && c != ':') text += c;
  return names_sources(trim(text));
}

// The text without sections that list sources, and with blocks of code told apart.
std::string without_source_lists(std::string_view text) {
  std::string kept;
  int skipped_level = 0;  // of the heading whose section is left out; 0: none
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view shown = trim(line);
    if (const int level = heading_level(shown)) {
      if (skipped_level != 0 && level <= skipped_level) skipped_level = 0;
      if (skipped_level == 0 && names_sources(heading_text(shown))) skipped_level = level;
    } else if (skipped_level == 0 && is_source_label(shown)) {
      skipped_level = 6;  // up to the next heading of whatever level
    }
    if (skipped_level != 0) continue;
    kept += line;
    kept += '\n';
  }
  while (kept.ends_with('\n')) kept.pop_back();
  return kept;
}

// The numbers in "[1]", "[1, 3]", "[2-4]" at this place; nullopt when it is something else, such as a link.
struct Bracket {
  std::vector<std::int64_t> numbers;
  std::size_t length = 0;
};
std::optional<Bracket> bracket_at(std::string_view text) {
  constexpr std::int64_t kWidestRange = 50;  // [1-9999] is no citation
  constexpr std::size_t kLongest = 40;
  const std::size_t end = text.substr(0, kLongest + 1).find(']');
  if (end == std::string_view::npos || end < 2) return std::nullopt;
  if (end + 1 < text.size() && text[end + 1] == '(') return std::nullopt;  // a link
  Bracket bracket;
  bracket.length = end + 1;
  std::string_view inside = text.substr(1, end - 1);
  const auto number = [&]() -> std::optional<std::int64_t> {
    inside = trim(inside);
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(inside.data(), inside.data() + inside.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    inside.remove_prefix(static_cast<std::size_t>(next - inside.data()));
    inside = trim(inside);
    return value;
  };
  while (true) {
    const auto first = number();
    if (!first) return std::nullopt;
    std::int64_t last = *first;
    const std::size_t dash = inside.starts_with("-") ? 1 : inside.starts_with("–") ? std::string_view("–").size() : 0;
    if (dash != 0) {
      inside.remove_prefix(dash);
      const auto to = number();
      if (!to || *to < *first || *to - *first > kWidestRange) return std::nullopt;
      last = *to;
    }
    for (std::int64_t n = *first; n <= last; ++n) bracket.numbers.push_back(n);
    if (inside.empty()) return bracket;
    if (inside[0] != ',' && inside[0] != ';') return std::nullopt;
    inside.remove_prefix(1);
  }
}

std::string lines_of(const Source& source) {
  if (source.locator.empty() || source.title.find(source.locator) != std::string::npos) return {};
  std::string_view locator = source.locator;
  if (!locator.starts_with('L')) return fmt::format(", {}", locator);
  std::string words(locator.substr(1));
  const std::size_t dash = words.find("-L");
  if (dash == std::string::npos) return fmt::format(", line {}", words);
  if (words.substr(0, dash) == words.substr(dash + 2)) return fmt::format(", line {}", words.substr(0, dash));
  words.replace(dash, 2, "–");
  return fmt::format(", lines {}", words);
}

std::string source_line(const Source& source) {
  const std::string title = as_quoted(fold_blanks(source.title), Brackets::all);
  const std::string named = title.empty() || source.title == source.uri ? "" : title + ". ";
  return fmt::format("- [{}] {}<{}>{}\n", source.citation, named, source.uri, lines_of(source));
}

}  // namespace

CheckedReport check_citations(std::string_view text, const std::vector<Source>& sources, std::string_view question) {
  CheckedReport checked;
  CheckedLinks links = without_invented_links(without_source_lists(text), sources, question);
  checked.check.links_removed = links.removed;
  while (links.text.ends_with('\n')) links.text.pop_back();
  const std::string_view body = links.text;
  std::set<std::int64_t> known, cited;
  for (const Source& source : sources) known.insert(source.citation);
  const CodeSpans spans(body);
  CodeFence fence;
  for (std::size_t at = 0; at < body.size();) {
    std::size_t code = spans.length_or_ticks_at(at);
    if (at == 0 || body[at - 1] == '\n') {
      const std::string_view line = body.substr(at, body.find('\n', at) - at);
      if (fence.holds(line)) code = line.size();
    }
    if (code > 0) {
      checked.text += body.substr(at, code);
      at += code;
      continue;
    }
    if (body[at] == '\\' && at + 1 < body.size() && body[at + 1] != '\n') {
      checked.text += body.substr(at, 2);
      at += 2;
      continue;
    }
    const auto bracket = body[at] == '[' ? bracket_at(body.substr(at)) : std::nullopt;
    if (!bracket) {
      checked.text += body[at++];
      continue;
    }
    bool any = false;
    for (const std::int64_t number : bracket->numbers) {
      if (!known.contains(number)) {
        ++checked.check.dangling_removed;
        continue;
      }
      any = true;
      cited.insert(number);
      checked.text += fmt::format("[{}]", number);
    }
    // Nothing is left of it: then not the blank before it either.
    if (!any && checked.text.ends_with(' ')) checked.text.pop_back();
    at += bracket->length;
  }
  checked.check.cited = static_cast<std::int64_t>(cited.size());
  checked.check.unreferenced = static_cast<std::int64_t>(known.size() - cited.size());
  if (sources.empty()) {
    checked.text += '\n';
    return checked;
  }
  checked.text += "\n\n## Sources\n\n";
  for (const Source& source : sources)
    if (cited.contains(source.citation)) checked.text += source_line(source);
  if (checked.check.unreferenced > 0) {
    checked.text += cited.empty() ? "" : "\nRead, but not cited:\n\n";
    for (const Source& source : sources)
      if (!cited.contains(source.citation)) checked.text += source_line(source);
  }
  return checked;
}

std::vector<Section> sections_of(std::string_view markdown) {
  std::vector<Section> sections;
  CodeFence fence;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (const int level = fence.holds(line) ? 0 : heading_level(line)) sections.push_back({level, heading_text(line)});
  }
  return sections;
}

}  // namespace holdfast::research
