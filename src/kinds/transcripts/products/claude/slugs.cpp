#include "kinds/transcripts/products/claude/slugs.h"

#include "base/text/find_bytes.h"
#include "base/text/text.h"
#include "jsonl/limits.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kKey = "\"slug\"";
constexpr std::size_t kShownLength = 60;     // of a refused name
constexpr std::size_t kMaxRefused = 20;      // shown; the rest is like them
constexpr std::size_t kMaxNameLength = 200;  // §8.1

// Not string_view::find, which stops at every quote.
const char* find_key(const char* from, const char* end) {
  const std::size_t at = find_bytes({from, end}, kKey);
  return at == std::string_view::npos ? nullptr : from + at;
}

Result<std::optional<std::uint64_t>> first_key(int fd, std::uint64_t size) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(jsonl::kReadBytes);
  std::size_t kept = 0;  // of the last read, in case the key lies across
  for (std::uint64_t at = 0; at < size;) {
    const std::size_t wanted = std::min<std::uint64_t>(jsonl::kReadBytes - kept, size - at);
    const ssize_t got = ::pread(fd, buffer.get() + kept, wanted, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading a transcript", errno));
    if (got == 0) break;
    const std::size_t held = kept + static_cast<std::size_t>(got);
    if (const char* key = find_key(buffer.get(), buffer.get() + held))
      return at - kept + static_cast<std::uint64_t>(key - buffer.get());
    at += static_cast<std::uint64_t>(got);
    kept = std::min(held, kKey.size() - 1);
    std::memmove(buffer.get(), buffer.get() + held - kept, kept);
  }
  return std::nullopt;
}

// From its first plan on, every record of a session names the same slug. A line that says nothing but what is known already, in
// the client's spelling, need not be walked.
bool says_something_new(std::string_view line, const std::string& known) {
  const char* const end = line.data() + line.size();
  const char* key = find_key(line.data(), end);
  if (key && known.empty()) return true;
  for (; key; key = find_key(key, end)) {
    key += kKey.size();
    if (!std::string_view(key, end).starts_with(known)) return true;
  }
  return false;
}

void add(std::string slug, Slugs& slugs) {
  if (slugs.names.contains(slug)) return;
  if (is_safe_name(slug) && slugs.names.size() < kMaxSlugs) {
    slugs.names.insert(std::move(slug));
  } else if (slugs.refused.size() < kMaxRefused) {
    slugs.refused.insert(shorten(slug, kShownLength));
  }
}

}  // namespace

bool is_safe_name(std::string_view name) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxNameLength && name != "." && name != ".." && std::ranges::all_of(name, safe);
}

Result<void> collect_slugs(int fd, std::uint64_t size, Slugs& slugs) {
  HF_TRY(const auto first, first_key(fd, size));
  if (!first) return {};
  HF_TRY(const std::uint64_t line_start, jsonl::end_of_complete_lines(fd, *first));
  return collect_slugs(jsonl::LineReader::of_range(fd, line_start, size), slugs);
}

Result<void> collect_slugs(jsonl::LineReader lines, Slugs& slugs) {
  jsonl::Scanner scanner;
  constexpr std::array<std::string_view, 1> kNames = {"slug"};
  std::array<jsonl::Token, 1> found;
  std::vector<std::string_view> records;
  std::string known;  // `:"<the last slug>"`
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) return {};
    if (line->overlong || !says_something_new(line->text, known)) continue;
    // Where a newline was lost several records stand in one line.
    scanner.values(line->text, records);
    for (const std::string_view record : records) {
      scanner.fields(record, kNames, found);
      if (found[0].kind != jsonl::TokenKind::string) continue;
      known = ':' + std::string(found[0].raw);
      add(found[0].text(), slugs);
    }
  }
}

}  // namespace holdfast::transcripts
