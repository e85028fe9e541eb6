#pragma once

// From what a person types to one session: a full id or any unique start of it, in one project or in all.

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

// Of what an ambiguous id fits, the first are shown: a longer list helps nobody.
inline constexpr std::size_t kShownMatches = 10;
inline constexpr std::size_t kHintedMatches = 5;  // where there is no more to see than ids and times

struct FoundSession {
  SessionPlace place;
  std::uint64_t size = 0;
  Millis mtime = 0;
};

// Folders of projects/ in which sessions of this path can lie (several only for very long paths, and where letters beyond ASCII
// have two forms).
Result<std::vector<std::string>> folders_of_project(const Home& home, const std::string& project_path);

// All main transcripts, of one project or of all; reads folders only, no file. Unsorted. A name that is not <uuid>.jsonl is no
// session.
Result<std::vector<FoundSession>> all_sessions(const Home& home, const std::optional<std::string>& project_path = {});

// "2048 bytes, 21 lines, 2026-07-01T09:30:00.000Z, in -home-dev-work": for who must choose among several.
std::string description_of(const Home& home, const FoundSession& session);

// Errors: invalid (empty, not the start of a UUID).
Result<void> check_start_of_session_id(std::string_view text);

// Those whose id starts with the text. Errors: invalid, as find_session.
Result<std::vector<FoundSession>> sessions_with_prefix(const Home& home, std::string_view prefix,
                                                       const std::optional<std::string>& project_path = {});

// Exactly one. Errors: invalid (empty, not the start of a UUID), not_found (names the folder searched), ambiguous (lists each
// match with size, number of lines, time and project; the same id in two project folders is ambiguous, too).
Result<FoundSession> find_session(const Home& home, std::string_view id_or_prefix,
                                  const std::optional<std::string>& project_path = {});

// The project folder that new sessions of this path belong in: one that exists (of the path as it is, else of its composed or
// decomposed form), or the name that the client would make.
Result<std::string> folder_for_project(const Home& home, const std::string& canonical_path);

}  // namespace holdfast::transcripts
