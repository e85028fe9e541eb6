#pragma once

// Where a research run finds sources (threads-and-research §10).
//
// A provider answers a query with what it found, best first. Calls block and may come from several threads at once.
// Errors: unavailable (a fault that may pass: 5xx, connection, 429 with code RATE_LIMITED), timeout, unauthorised (key missing or
// not accepted), refused (the instance does not offer it: says what to change), cancelled. Finding nothing is not an error.

#include "base/result.h"
#include "base/run/clock.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

inline constexpr std::size_t kSnippetCharacters = 300;  // three lines on a terminal

struct Found {
  std::string uri;    // canonical
  std::string title;  // never empty: the uri when there is none
  std::string type;   // web, academic, document, transcript
  std::string snippet;
  std::string content;  // the whole text when the provider has it; may be empty
  std::string locator;  // "L10-L42", "message 3"; may be empty
  double score = 0;     // 0..1
  std::string published;
};

struct SearchAsk {
  std::string query;
  std::size_t max_results = 5;
  std::string mode = "general";       // general, academic, technical
  std::string principal = "local";    // whose sessions may be searched
  std::string exclude_session;        // the run's own id: its records are never its sources
  std::string root_uri;               // sessions of this project come first; may be empty
  std::vector<std::string> projects;  // roots whose sessions may be searched; empty: all
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> cancelled;  // may be empty
};

class SearchProvider {
 public:
  virtual ~SearchProvider() = default;
  virtual std::string_view name() const = 0;
  virtual Result<std::vector<Found>> search(const SearchAsk& ask) = 0;
  // Whether it could answer now; for `holdfast research providers` and start-up warnings. Errors as search.
  virtual Result<void> health() = 0;
  // What it could not search, and why, as of its last search: for a person. Empty: nothing.
  virtual std::string left_out() const { return {}; }
};

using Providers = std::vector<std::unique_ptr<SearchProvider>>;

}  // namespace holdfast::research
