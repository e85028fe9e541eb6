#include "base/schema/schema_format.h"

#include "base/text/text.h"

#include <algorithm>
#include <chrono>

namespace holdfast::schema {
namespace {

bool is_hex(char c) {
  return hex_value(c) >= 0;
}
bool is_in(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

// Reads exactly so many digits from the front; -1 when they are not there.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_ascii_digit(text[i])) return -1;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  const int year = take_number(text, 4);
  if (year < 0 || !take(text, '-')) return false;
  const int month = take_number(text, 2);
  if (month < 0 || !take(text, '-')) return false;
  const int day = take_number(text, 2);
  if (day < 0) return false;
  using namespace std::chrono;
  return year_month_day{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                        std::chrono::day{static_cast<unsigned>(day)}}
      .ok();
}

bool is_date(std::string_view text) {
  return take_date(text) && text.empty();
}

// RFC 3339, with the leap second where one can be: at 23:59:60 UTC.
bool is_date_time(std::string_view text) {
  if (!take_date(text)) return false;
  if (!take(text, 'T') && !take(text, 't')) return false;
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return false;
  const int second = take_number(text, 2);
  if (second < 0 || second > 60) return false;
  if (take(text, '.')) {
    std::size_t digits = 0;
    while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  int offset = 0;
  if (!take(text, 'Z') && !take(text, 'z')) {
    const bool west = take(text, '-');
    if (!west && !take(text, '+')) return false;
    const int offset_hour = take_number(text, 2);
    if (offset_hour < 0 || offset_hour > 23 || !take(text, ':')) return false;
    const int offset_minute = take_number(text, 2);
    if (offset_minute < 0 || offset_minute > 59) return false;
    offset = (offset_hour * 60 + offset_minute) * (west ? 1 : -1);
  }
  constexpr int kMinutesPerDay = 24 * 60;
  if (second == 60 && (hour * 60 + minute + offset + 2 * kMinutesPerDay) % kMinutesPerDay != kMinutesPerDay - 1) return false;
  return text.empty();
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !take(text, '.')) return false;
    std::size_t digits = 0;
    int number = 0;
    while (digits < text.size() && digits < 4 && is_ascii_digit(text[digits])) number = number * 10 + (text[digits++] - '0');
    if (digits == 0 || number > 255 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
  }
  return text.empty();
}

bool is_ipv6(std::string_view text) {
  constexpr int kGroups = 8;
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (is_ipv4(text)) {
      groups += 2;
      text = {};
      break;
    }
    std::size_t digits = 0;
    while (digits < text.size() && is_hex(text[digits])) ++digits;
    if (digits == 0 || digits > 4) return false;
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (!take(text, ':') || text.empty()) return false;
    if (take(text, ':')) {
      if (gap) return false;
      gap = true;
    }
  }
  return gap ? groups < kGroups : groups == kGroups;
}

bool is_hostname(std::string_view text) {
  constexpr std::size_t kMaxName = 253;
  constexpr std::size_t kMaxLabel = 63;
  if (text.empty() || text.size() > kMaxName) return false;
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    const bool good = std::ranges::all_of(label, [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '-'; });
    if (label.empty() || label.size() > kMaxLabel || !good || label.front() == '-' || label.back() == '-') return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool is_dot_atom(std::string_view text) {
  bool dot = true;  // a dot may be neither first, nor last, nor doubled
  for (const char c : text) {
    if (c == '.') {
      if (dot) return false;
      dot = true;
      continue;
    }
    if (!is_ascii_letter(c) && !is_ascii_digit(c) && !is_in(c, "!#$%&'*+-/=?^_`{|}~")) return false;
    dot = false;
  }
  return !dot;
}

bool is_quoted_local(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c >= 0x7f || c == '"') return false;
    if (c == '\\' && ++i == text.size()) return false;
  }
  return true;
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  std::string_view domain = text.substr(at + 1);
  if (!is_dot_atom(local) && !is_quoted_local(local)) return false;
  if (!domain.starts_with('[')) return is_hostname(domain);
  if (!domain.ends_with(']')) return false;
  domain = domain.substr(1, domain.size() - 2);
  if (domain.starts_with("IPv6:")) return is_ipv6(domain.substr(5));
  return is_ipv4(domain);
}

// Unreserved and sub-delims of RFC 3986, percent-encoded bytes, and what the component allows besides.
bool is_made_of(std::string_view text, std::string_view also) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (!is_ascii_letter(c) && !is_ascii_digit(c) && !is_in(c, "-._~!$&'()*+,;=") && !is_in(c, also)) {
      return false;
    }
  }
  return true;
}

bool is_authority(std::string_view text) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (!is_made_of(text.substr(0, at), ":")) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    const bool future = host.starts_with('v') || host.starts_with('V');
    if (future ? !is_made_of(host, ":") : !is_ipv6(host)) return false;
  } else {
    host = text.substr(0, text.find(':'));
    port = text.substr(host.size());
    if (!is_made_of(host, "")) return false;
  }
  if (port.empty()) return true;
  return port.front() == ':' && std::ranges::all_of(port.substr(1), is_ascii_digit);
}

// RFC 3986 with a scheme: a relative reference is not a URI.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_ascii_letter(text.front())) return false;
  if (!std::ranges::all_of(text.substr(0, colon),
                           [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || is_in(c, "+-."); }))
    return false;
  text.remove_prefix(colon + 1);
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!is_made_of(text.substr(hash + 1), ":@/?")) return false;
    text = text.substr(0, hash);
  }
  if (const std::size_t query = text.find('?'); query != std::string_view::npos) {
    if (!is_made_of(text.substr(query + 1), ":@/?")) return false;
    text = text.substr(0, query);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::string_view authority = text.substr(0, text.find('/'));
    if (!is_authority(authority)) return false;
    text.remove_prefix(authority.size());
  }
  return is_made_of(text, ":@/");
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  if (name == "email") return Format::email;
  if (name == "uri") return Format::uri;
  if (name == "date") return Format::date;
  if (name == "date-time") return Format::date_time;
  return std::nullopt;
}

bool has_format(Format format, std::string_view text) {
  switch (format) {
    case Format::email:
      return is_email(text);
    case Format::uri:
      return is_uri(text);
    case Format::date:
      return is_date(text);
    case Format::date_time:
      return is_date_time(text);
  }
  return false;
}

std::string_view expected_text(Format format) {
  switch (format) {
    case Format::email:
      return "an e-mail address such as ann@example.org";
    case Format::uri:
      return "a URI such as https://example.org/a";
    case Format::date:
      return "a date such as 2026-07-28";
    case Format::date_time:
      return "a time such as 2026-07-28T09:30:00Z";
  }
  return "";
}

}  // namespace holdfast::schema
