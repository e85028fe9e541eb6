#include "base/run/clock.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace holdfast {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr std::size_t kMaxClockFile = 256;  // an instant has 30 characters; the rest is blanks
constexpr Millis kMillisPerSecond = 1000, kMillisPerMinute = 60'000, kMillisPerHour = 3'600'000, kMillisPerDay = 86'400'000;

constexpr Millis millis_of(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return duration_cast<milliseconds>(date.time_since_epoch()).count();
}

// Four digits of a year are what the format has.
constexpr Millis kFirstTime = millis_of(0, 1, 1);
constexpr Millis kLastTime = millis_of(9999, 12, 31) + kMillisPerDay - 1;

// Reads a fixed layout from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool done() const { return rest_.empty(); }
  bool take_any(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_.front()) == choices.npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly count digits, at most the given value.
  bool take_number(std::size_t count, int most, int& number) {
    if (rest_.size() < count) return false;
    number = 0;
    for (char digit : rest_.substr(0, count)) {
      if (digit < '0' || digit > '9') return false;
      number = number * 10 + (digit - '0');
    }
    rest_.remove_prefix(count);
    return number <= most;
  }
  std::string_view take_digits() {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }
  bool next_is(char character) const { return rest_.starts_with(character); }

 private:
  std::string_view rest_;
};

bool parse_rfc3339(std::string_view text, Millis& time) {
  Cursor cursor(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!cursor.take_number(4, 9999, year) || !cursor.take_any("-") || !cursor.take_number(2, 12, month) || !cursor.take_any("-") ||
      !cursor.take_number(2, 31, day)) {
    return false;
  }
  // 60 is a leap second; it becomes the first second of the next minute.
  if (!cursor.take_any("Tt ") || !cursor.take_number(2, 23, hour) || !cursor.take_any(":") ||
      !cursor.take_number(2, 59, minute) || !cursor.take_any(":") || !cursor.take_number(2, 60, second)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;

  int fraction = 0;
  if (cursor.take_any(".")) {
    const std::string_view digits = cursor.take_digits();
    if (digits.empty() || digits.size() > 9) return false;
    for (std::size_t i = 0; i < 3; ++i) fraction = fraction * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }

  Millis offset = 0;
  if (!cursor.take_any("Zz")) {
    const Millis direction = cursor.next_is('-') ? -1 : 1;
    int hours = 0, minutes = 0;
    if (!cursor.take_any("+-") || !cursor.take_number(2, 23, hours) || !cursor.take_any(":") ||
        !cursor.take_number(2, 59, minutes)) {
      return false;
    }
    offset = direction * (hours * kMillisPerHour + minutes * kMillisPerMinute);
  }
  if (!cursor.done()) return false;

  time = millis_of(year, static_cast<unsigned>(month), static_cast<unsigned>(day)) + hour * kMillisPerHour +
         minute * kMillisPerMinute + second * kMillisPerSecond + fraction - offset;
  return true;
}

bool parse_millis(std::string_view text, Millis& time) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), time);
  return status == std::errc() && end == text.data() + text.size();
}

Result<Millis> read_clock_file(const std::string& path) {
  HF_TRY(const std::string text, read_file(path, kMaxClockFile));
  return parse_time(trim(text));
}

}  // namespace

Millis SystemClock::now() const {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Result<std::unique_ptr<FileClock>> FileClock::open(std::string path) {
  auto first = read_clock_file(path);
  if (!first) return fail(std::move(first).error().within("clock file " + path));
  return std::unique_ptr<FileClock>(new FileClock(std::move(path), *first));
}

Millis FileClock::now() const {
  if (const auto time = read_clock_file(path_)) last_ = *time;
  return last_;
}

std::string iso8601(Millis time) {
  time = std::clamp(time, kFirstTime, kLastTime);
  const std::chrono::sys_time<milliseconds> instant{milliseconds(time)};
  const sys_days date = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day calendar(date);
  const Millis of_day = (instant - date).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(calendar.year()),
                     static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()), of_day / kMillisPerHour,
                     of_day / kMillisPerMinute % 60, of_day / kMillisPerSecond % 60, of_day % kMillisPerSecond);
}

Result<Millis> parse_time(std::string_view text) {
  Millis time = 0;
  if ((parse_millis(text, time) || parse_rfc3339(text, time)) && time >= kFirstTime && time <= kLastTime) return time;
  return fail(ErrorKind::invalid, fmt::format("not a time: \"{}\"", to_valid_utf8(utf8_prefix(text, 64))),
              "use RFC 3339 such as 2026-07-28T09:30:00Z, or integer milliseconds since 1970");
}

}  // namespace holdfast
