#pragma once

// What changes inside the files of a copy, and nothing else (transcript-archive §5 "Where ids are replaced", §6).
//
// One thread a Rewriter; rewrite_lines.h has several at work on one session. Lines that no rule touches leave as they came. Of
// what cannot be taken apart a copy changes the session's id alone (IdInText), so that no copy names the original by
// accident.

#include "jsonl/splice.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/path_map.h"

#include <memory>
#include <optional>

namespace holdfast::transcripts {

struct RewriteOptions {
  PathLevel level = PathLevel::fields;
  bool translate_files = false;  // level all also in tool results and plans
  std::string up_to;             // uuid of the last record to keep in the main transcript; empty: all
};

struct RewriteCounts {
  std::uint64_t lines = 0, edited_lines = 0;
  std::uint64_t records = 0;                // lines that are one record each, and were kept
  std::uint64_t ids = 0;                    // session and agent ids, slugs, titles
  std::uint64_t paths = 0;                  // values with a translated path
  std::uint64_t dropped_lines = 0;          // bridge-session; behind up_to
  std::uint64_t opaque_lines = 0;           // not JSON, or too long: of them a copy changes the session's id alone
  std::vector<std::string> samples;         // a few "old -> new" paths, for dry runs
  std::optional<std::string> custom_title;  // the last one a person gave in the main transcript, as it was

  // What was counted behind this.
  void add(RewriteCounts&& more);
};

class Rewriter {
 public:
  Rewriter(Identity identity, PathMap paths, RewriteOptions options);
  ~Rewriter();

  // Another one with the same rules, that has counted nothing.
  Rewriter twin() const;
  Rewriter(Rewriter&&) noexcept;

  const Identity& identity() const;
  // In the file just begun, what becomes of a line depends on those before it (up_to).
  bool looks_back() const;
  void begin(const Artifact& artifact);
  // Appends what the line becomes (nothing when it is dropped), with its ending. A transcript of a copy always ends in a newline.
  Result<void> line(std::string_view text, std::string_view ending, bool overlong, std::string& out);
  // Whole small JSON files (sidecars, run files, tasks, todos): the same rules. Everything else is copied by the caller.
  static bool rewrites_whole(const Artifact& artifact);
  Result<void> whole(std::string_view text, std::string& out);
  // At the end of a file of lines. Errors: not_found (up_to is not in the main transcript).
  Result<void> end(std::string& out);

  const RewriteCounts& counts() const;
  RewriteCounts take_counts();  // and begins to count anew
  void add_counts(RewriteCounts&& more);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
