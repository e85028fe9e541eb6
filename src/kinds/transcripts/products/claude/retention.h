#pragma once

// When the client will delete a session by itself (transcript-archive §1.3 Retention, on-disk §7).

#include "base/run/clock.h"
#include "kinds/transcripts/home/home.h"

namespace holdfast::transcripts {

inline constexpr int kDefaultCleanupDays = 30;  // what the client does when nobody says otherwise

struct Retention {
  int days = kDefaultCleanupDays;
  bool is_default = true;
  std::string source;                // the file that sets it; empty: none
  std::vector<std::string> trouble;  // whole sentences: a file that cannot be read, a value that is no number of days
};

// From settings.json and settings.local.json of the home; the second wins. Never fails: what cannot be read is trouble.
Retention read_retention(const Home& home);

// When the clean-up may take what was last written at `mtime`.
Millis expires_at(const Retention& retention, Millis mtime);

}  // namespace holdfast::transcripts
