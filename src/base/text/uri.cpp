#include "base/text/uri.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace holdfast {
namespace {

bool is_unreserved(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// RFC 3986 pchar: what a path segment may hold as it is.
constexpr std::string_view kSegmentCharacters = "!$&'()*+,;=:@";
constexpr std::string_view kPathCharacters = "!$&'()*+,;=:@/";
constexpr std::string_view kUserCharacters = "!$&'()*+,;=:";
constexpr std::string_view kHostCharacters = "!$&'()*+,;=:[]";

void append_encoded(std::string& out, std::string_view text, std::string_view allowed_characters) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c) || allowed_characters.find(c) != allowed_characters.npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

std::unexpected<Error> bad_root(std::string_view text, std::string_view why) {
  constexpr std::size_t kQuoted = 200;  // enough to recognise it
  return fail(ErrorKind::invalid, fmt::format("not a usable root: {}: {}", why, to_valid_utf8(utf8_prefix(text, kQuoted))),
              "give an absolute path or a URI such as file:///home/me/project");
}

// Views into the text that was split.
struct UriParts {
  std::string_view scheme, authority, path;
  bool has_authority = false;
};

// Query and fragment are left out. False when there is no scheme; a single letter is a drive.
bool split_uri(std::string_view text, UriParts& parts) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon < 2 || !is_ascii_letter(text.front())) return false;
  parts.scheme = text.substr(0, colon);
  for (const char c : parts.scheme) {
    if (!is_ascii_letter(c) && !is_ascii_digit(c) && c != '+' && c != '-' && c != '.') return false;
  }
  std::string_view rest = text.substr(colon + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  parts.has_authority = rest.starts_with("//");
  if (parts.has_authority) {
    rest.remove_prefix(2);
    parts.authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(parts.authority.size());
  }
  parts.path = rest;
  return true;
}

bool is_drive(std::string_view segment) {
  return segment.size() == 2 && is_ascii_letter(segment[0]) && segment[1] == ':';
}

enum class Drives { none, possible };

// Decoded segments of an absolute path without "", "." and "..". ".." stops at the root, or at a drive.
std::vector<std::string> collapse(std::vector<std::string> segments, Drives drives) {
  std::vector<std::string> kept;
  for (std::string& segment : segments) {
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") {
      const bool at_drive = drives == Drives::possible && kept.size() == 1 && is_drive(kept[0]);
      if (!kept.empty() && !at_drive) kept.pop_back();
    } else {
      kept.push_back(std::move(segment));
    }
  }
  return kept;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    segments.emplace_back(path.substr(begin, end - begin));
    if (end == path.size()) return segments;
    begin = end + 1;
  }
}

std::string join_encoded(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) {
    path += '/';
    append_encoded(path, segment, kSegmentCharacters);
  }
  return path.empty() ? "/" : path;
}

// path is decoded and absolute; host is decoded, lower case, and not "localhost".
std::string canonical_file_root(std::string_view host, std::string_view path) {
  std::vector<std::string> segments = split_path(path);
  // "file://C:/x" is what people write who forget a slash.
  if (is_drive(host)) {
    segments.insert(segments.begin(), std::string(host));
    host = {};
  }
  segments = collapse(std::move(segments), host.empty() ? Drives::possible : Drives::none);
  std::string uri = "file://";
  append_encoded(uri, host, kHostCharacters);
  if (host.empty() && !segments.empty() && is_drive(segments[0])) {
    segments[0] = to_ascii_lower(segments[0]);
    if (segments.size() == 1) return uri + "/" + segments[0] + "/";  // the root of a drive is a bare root
  }
  return uri + join_encoded(segments);
}

Result<std::string> canonical_authority(std::string_view authority) {
  std::string out;
  const std::size_t at = authority.rfind('@');
  if (at != authority.npos) {
    HF_TRY(const std::string user, percent_decode(authority.substr(0, at)));
    append_encoded(out, user, kUserCharacters);
    out += '@';
    authority.remove_prefix(at + 1);
  }
  HF_TRY(const std::string host, percent_decode(authority));
  append_encoded(out, to_ascii_lower(host), kHostCharacters);
  return out;
}

// A scheme we know nothing about: "%2F" is data, not a separator, and a path without a leading slash
// ("urn:a:b") is opaque.
Result<std::string> canonical_other_root(const UriParts& parts) {
  std::string uri = to_ascii_lower(parts.scheme) + ":";
  if (parts.has_authority) {
    HF_TRY(const std::string authority, canonical_authority(parts.authority));
    uri += "//" + authority;
  }
  std::vector<std::string> segments;
  for (const std::string& segment : split_path(parts.path)) {
    HF_TRY(std::string decoded, percent_decode(segment));
    segments.push_back(std::move(decoded));
  }
  if (parts.has_authority || parts.path.starts_with('/')) return uri + join_encoded(collapse(std::move(segments), Drives::none));
  return uri + join_encoded(segments).substr(1);
}

}  // namespace

Result<std::string> canonical_root(std::string_view text) {
  for (const char c : text) {
    if (is_control(c)) return bad_root(text, "control characters");
  }
  if (text.starts_with('/')) return canonical_file_root({}, text);
  if (text.size() >= 3 && is_drive(text.substr(0, 2)) && (text[2] == '\\' || text[2] == '/')) {
    std::string path = "/" + std::string(text);
    for (char& c : path) {
      if (c == '\\') c = '/';
    }
    return canonical_file_root({}, path);
  }

  UriParts parts;
  if (!split_uri(text, parts)) return bad_root(text, "neither a URI nor an absolute path");
  const auto decoded = percent_decode(std::string(parts.authority) + std::string(parts.path));
  if (!decoded) return bad_root(text, "a broken percent escape");
  for (const char c : *decoded) {
    if (is_control(c)) return bad_root(text, "control characters");
  }
  if (!equal_ignoring_ascii_case(parts.scheme, "file")) {
    if (parts.path.empty() && parts.authority.empty()) return bad_root(text, "a scheme and nothing else");
    return canonical_other_root(parts);
  }
  HF_TRY(std::string host, percent_decode(parts.authority));
  HF_TRY(const std::string path, percent_decode(parts.path));
  host = to_ascii_lower(host);
  if (host == "localhost") host.clear();
  if (!parts.has_authority && !path.starts_with('/')) return bad_root(text, "a relative path");
  return canonical_file_root(host, path);
}

std::string root_display_name(std::string_view canonical_uri) {
  UriParts parts;
  if (!split_uri(canonical_uri, parts)) return to_valid_utf8(canonical_uri);
  std::string_view path = parts.path;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  if (last.empty()) return parts.authority.empty() ? "/" : to_valid_utf8(parts.authority);
  const auto decoded = percent_decode(last);
  return to_valid_utf8(decoded ? *decoded : std::string(last));
}

Result<std::string> path_of_file_uri(std::string_view uri) {
  UriParts parts;
  if (!split_uri(uri, parts) || !equal_ignoring_ascii_case(parts.scheme, "file")) {
    return fail(ErrorKind::invalid, "not a file:// URI");
  }
  if (!parts.authority.empty() && !equal_ignoring_ascii_case(parts.authority, "localhost")) {
    return fail(ErrorKind::invalid, "a file on another host");
  }
  HF_TRY(std::string path, percent_decode(parts.path));
  if (path.empty() && parts.has_authority) path = "/";
  if (!path.starts_with('/')) return fail(ErrorKind::invalid, "a file:// URI with a relative path");
  if (path.find('\0') != path.npos) return fail(ErrorKind::invalid, "a file:// URI with a NUL character");
  return path;
}

std::string file_uri_of_path(std::string_view absolute_path) {
  std::string uri = "file://";
  append_encoded(uri, absolute_path, kPathCharacters);
  return uri;
}

std::string percent_encode(std::string_view text) {
  std::string out;
  append_encoded(out, text, {});
  return out;
}

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = text.size() - i > 2 ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) return fail(ErrorKind::invalid, fmt::format("a broken percent escape at byte {}", i));
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

}  // namespace holdfast
