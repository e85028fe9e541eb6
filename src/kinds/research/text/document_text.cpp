#include "kinds/research/text/document_text.h"

#include "base/files/file.h"
#include "base/files/path_below.h"
#include "base/text/text.h"
#include "kinds/research/corpus/corpus.h"
#include "kinds/research/text/html.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace holdfast::research {

namespace {

constexpr const char* kPdfToText = "pdftotext";
constexpr std::chrono::seconds kPdfPatience{20};      // a file of kMaxFileBytes takes one
constexpr std::size_t kMaxPdfText = 16 << 20;         // its pages are compressed, and may be a bomb
constexpr std::size_t kMaxComplaintCharacters = 120;  // of what it says about a broken file

constexpr std::size_t kSniffBytes = 8 * 1024;     // as git and grep do
constexpr std::size_t kHeadingWithin = 4 * 1024;  // a heading further down is not the document's
constexpr std::size_t kMaxHeadingCharacters = 150;
constexpr std::size_t kForeignShare =
    3;  // a third of the bytes beyond ASCII: not the Latin-1 of a language that is written in it

bool ends_with_one_of(std::string_view path, std::initializer_list<std::string_view> endings) {
  const std::string lower = to_ascii_lower(path.substr(path.size() - std::min<std::size_t>(path.size(), 10)));
  return std::ranges::any_of(endings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

// By a NUL, as git and grep do; in what is not UTF-8, by anything that no text has but to end lines, to go on to a next page or
// to colour a terminal.
bool is_binary(std::string_view bytes) {
  constexpr std::string_view kOfText = "\t\n\v\f\r\b\x1b";
  const std::string_view start = bytes.substr(0, kSniffBytes);
  if (start.find('\0') != start.npos) return true;
  return !is_valid_utf8(bytes) && std::ranges::any_of(start, [&](char c) {
    return static_cast<unsigned char>(c) < 0x20 && kOfText.find(c) == kOfText.npos;
  });
}

// Bytes that are not UTF-8: UTF-8 with damage when most of its characters are whole, else Windows-1252, of which Latin-1 is a
// part; nullopt: neither.
std::optional<std::string> text_of_old_encoding(std::string bytes) {
  const auto beyond =
      static_cast<std::size_t>(std::ranges::count_if(bytes, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  std::size_t broken = 0;
  const std::string repaired = to_valid_utf8(bytes);
  for (std::size_t at = 0; (at = repaired.find("\xEF\xBF\xBD", at)) != repaired.npos; at += 3) ++broken;
  if (broken * 4 < beyond) return bytes;  // a whole character has at least two such bytes
  if (beyond * kForeignShare > bytes.size()) return std::nullopt;
  return utf8_of_latin1(bytes);
}

// UTF-16 says so with its first two bytes. What is no character becomes U+FFFD.
std::optional<std::string> text_of_utf16(std::string_view bytes) {
  const bool little = bytes.starts_with("\xFF\xFE");
  if (!little && !bytes.starts_with("\xFE\xFF")) return std::nullopt;
  constexpr std::uint32_t kHigh = 0xD800, kLow = 0xDC00, kBehind = 0xE000, kReplacement = 0xFFFD, kFirstPair = 0x10000;
  const auto unit_at = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return little ? first | second << 8 : second | first << 8;
  };
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    std::uint32_t c = unit_at(at);
    if (c >= kHigh && c < kLow && at + 3 < bytes.size() && unit_at(at + 2) >= kLow && unit_at(at + 2) < kBehind) {
      c = kFirstPair + ((c - kHigh) << 10) + (unit_at(at + 2) - kLow);
      at += 2;
    } else if (c >= kHigh && c < kBehind) {
      c = kReplacement;
    }
    append_utf8(text, c);
  }
  return text;
}

std::string markdown_title(std::string_view text) {
  text = text.substr(0, kHeadingWithin);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::size_t marks = line.find_first_not_of('#');
    if (marks != line.npos && marks >= 1 && marks <= 6 && line[marks] == ' ')
      return shorten(to_valid_utf8(trim(line.substr(marks))), kMaxHeadingCharacters);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
  }
  return {};
}

Result<Fd> open_document(const Fd& root, std::string_view path) {
  // Not to wait for the other end of a pipe that has taken the file's place.
  HF_TRY(Fd file, open_below(root, path, O_RDONLY | O_NONBLOCK, 0, Links::refuse));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error("look at a document", errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::refused, std::string(path) + " is not a regular file");
  return file;
}

bool is_pdf(std::string_view bytes) {
  return bytes.starts_with("%PDF-");
}

// The file reaches the program on its standard input, and the program ends in time or is ended. Errors: not_found (there is no
// pdftotext), corrupt (it cannot read this), timeout, too_large.
Result<std::string> text_of_pdf(std::string bytes) {
  net::ChildCall call;
  call.arguments = {kPdfToText, "-q", "-enc", "UTF-8", "-nopgbrk", "-", "-"};
  call.input = std::move(bytes);
  call.timeout = kPdfPatience;
  call.max_output = kMaxPdfText;
  HF_TRY(net::ChildResult result, net::run_child(call));
  if (result.exit_code == 0) return to_valid_utf8(result.output);
  const std::string_view complaint = trim(std::string_view(result.errors).substr(0, result.errors.find('\n')));
  return fail(ErrorKind::corrupt, complaint.empty() ? fmt::format("pdftotext ended with {}", result.exit_code)
                                                    : shorten(to_valid_utf8(complaint), kMaxComplaintCharacters));
}

}  // namespace

bool has_pdftotext() {
  const char* value = std::getenv("PATH");
  for (std::string_view path = value ? value : ""; !path.empty();) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string program = fmt::format("{}/{}", path.substr(0, colon), kPdfToText);
    if (::access(program.c_str(), X_OK) == 0) return true;
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return false;
}

bool is_reduced(std::string_view path) {
  return ends_with_one_of(path, {".html", ".htm", ".xhtml", ".pdf"});
}

Result<std::string> read_document(const Fd& root, std::string_view path) {
  HF_TRY(const Fd file, open_document(root, path));
  return read_all(file.get(), kMaxFileBytes);
}

Result<std::string> read_part(const Fd& root, std::string_view path, std::uint64_t offset, std::size_t length) {
  HF_TRY(const Fd file, open_document(root, path));
  std::string bytes(length, '\0');
  std::size_t filled = 0;
  while (filled < length) {
    const ssize_t got = ::pread(file.get(), bytes.data() + filled, length - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read a document", errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

DocumentText document_text(std::string_view path, std::string bytes) {
  DocumentText document;
  document.digest = sha256(bytes);
  if (is_pdf(bytes)) {
    auto text = text_of_pdf(std::move(bytes));
    if (text)
      document.text = *std::move(text);
    else if (text.error().kind == ErrorKind::not_found)
      document.skipped = kNoPdfReader;
    else
      document.skipped = fmt::format("a PDF that cannot be read: {}", text.error().message);
    if (text && trim(document.text).empty()) document.skipped = "a PDF without text, perhaps scanned";
    return document;
  }
  if (auto text = text_of_utf16(bytes)) bytes = *std::move(text);
  if (is_binary(bytes)) {
    document.skipped = "binary";
    return document;
  }
  if (ends_with_one_of(path, {".html", ".htm", ".xhtml"})) {
    HtmlText reduced = reduce_html(bytes);
    document.text = std::move(reduced.text);
    document.title = std::move(reduced.title);
    document.lines = std::move(reduced.lines);
    return document;
  }
  auto text = is_valid_utf8(bytes) ? std::optional(std::move(bytes)) : text_of_old_encoding(std::move(bytes));
  if (!text) {
    document.skipped = "neither UTF-8 nor Latin-1";
    return document;
  }
  document.text = *std::move(text);
  if (ends_with_one_of(path, {".md", ".markdown", ".mdx"})) document.title = markdown_title(document.text);
  return document;
}

}  // namespace holdfast::research
