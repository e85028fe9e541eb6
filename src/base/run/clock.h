#pragma once

// Time, injectable.
//
// The clock drives what is stored and shown: timestamps, retention, expiry, ages. It does not
// drive leases, socket time-outs and retries: those use std::chrono::steady_clock directly
// (threads-and-research §14).

#include "base/result.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast {

using Millis = std::int64_t;  // since 1970-01-01 UTC

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Millis now() const = 0;  // any thread
  virtual bool is_test() const { return true; }
};

class SystemClock final : public Clock {
 public:
  Millis now() const override;
  bool is_test() const override { return false; }
};

// Reads a file at every use: one RFC 3339 UTC instant, or integer milliseconds. When the file
// becomes unreadable later, the last instant read stands.
class FileClock final : public Clock {
 public:
  static Result<std::unique_ptr<FileClock>> open(std::string path);
  Millis now() const override;

 private:
  explicit FileClock(std::string path, Millis first) : path_(std::move(path)), last_(first) {}
  std::string path_;
  mutable std::atomic<Millis> last_;
};

// For tests in this process.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Millis start) : now_(start) {}
  Millis now() const override { return now_; }
  void set(Millis now) { now_ = now; }
  void advance(Millis by) { now_ += by; }

 private:
  std::atomic<Millis> now_;
};

// "2026-07-28T09:30:00.000Z"
std::string iso8601(Millis time);
// Accepts RFC 3339 with 'Z' or an offset and up to nine fractional digits, or integer milliseconds.
Result<Millis> parse_time(std::string_view text);

}  // namespace holdfast
