#pragma once

// What can be searched, whatever keeps it: sources of passages.
//
// A source is one file of a transcript (main, subagent, saved tool result) or a table of a store; it has lines (records, rows),
// and a line has passages: a prompt, an answer, a thought, the call of a tool, its result. A source only grows; when it does
// something else (truncated, replaced, gone) its stamp says so and it is read anew. Rows may vanish (TextIndex::forget).
// PassageSources know how to read; the index (text_index.h) knows nothing of JSON, and what it keeps is a cache: text is
// verified, and snippets are made, from the source itself.

#include "base/result.h"
#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

enum class PassageRole : std::uint8_t { user, assistant, thinking, tool_call, tool_result, system, title };
std::string_view name_of(PassageRole role);  // "user", ..., "tool_result"
std::optional<PassageRole> passage_role(std::string_view name);

// Views live until the call that was given the passage returns.
struct Passage {
  std::uint64_t line_begin = 0, line_end = 0;  // of its line in the source: bytes, or sequence numbers
  std::uint64_t line = 0;                      // from 1
  PassageRole role = PassageRole::user;
  Millis time = 0;  // 0: unknown
  std::string_view text;
  // What filters ask for, beside the role: "tool:Bash", "model:claude-…", "branch:main", "file:/absolute/path" (touched by a
  // tool), "error" (a failed result). Opaque to the index.
  std::span<const std::string_view> attributes;
  bool counts_lines = false;  // the text is lines of the source as they stand: a place in it has a line of its own
};

struct Source {
  std::string key;  // for good: "claude:projects/-home-u-p/<id>.jsonl", "entries"
  std::string session;
  std::string kind;     // of the session: transcript, reasoning, ...
  std::string project;  // path of its root; empty: none
  Millis changed_at = 0;
  std::uint64_t stamp = 0;  // the same as before, and the size too: nobody wrote to it
  std::uint64_t size = 0;   // bytes or sequence numbers that can be read now
  std::string incarnation;  // differs when what was read before is not what stands there now (another file under the name)
  bool rows = false;        // offsets are numbers of rows: each is one passage, found by its number, and a block of its own
};

// As they were at one moment; shared by all who asked while nothing changed, and the same object for them.
using SourceList = std::shared_ptr<const std::vector<Source>>;

// What every passage has that a reader is interested in: characters of which fold_case() (base/text/text.h) changes nothing, a
// blank standing for any run of white space.
struct Wanted {
  std::vector<std::string> pieces;
};

class PassageSources {
 public:
  virtual ~PassageSources() = default;
  // All there are, in any order. Cheap: looks at names and sizes only.
  virtual Result<SourceList> list() = 0;
  // Every passage of whole lines that begin in [from, to), in order; `first_line` is the number of the line at `from`. A line
  // that is not understood has no passages; a torn last line is not read. Returns where the next line begins, and its number.
  // Any thread, several at a time. not_found: the source is gone. `take` answers false to stop; of rows, the next is returned
  // then, and reading goes on there.
  struct Position {
    std::uint64_t offset = 0, line = 1;
  };
  virtual Result<Position> read(const Source& source, Position from, std::uint64_t to,
                                const std::function<bool(const Passage&)>& take) = 0;
  // The same, but passages that lack a piece may be left out: a source that sees so at a glance need not take the line apart.
  virtual Result<Position> read_wanted(const Source& source, Position from, std::uint64_t to, const Wanted& wanted,
                                       const std::function<bool(const Passage&)>& take) {
    static_cast<void>(wanted);
    return read(source, from, to, take);
  }
  // Some bytes at the beginning and before `offset`, as a number: differs when a source was written anew and is not shorter.
  // Asked only when its stamp has changed. 0: the incarnation says it all.
  virtual Result<std::uint64_t> proof(const Source& source, std::uint64_t offset) {
    static_cast<void>(source), static_cast<void>(offset);
    return 0;
  }
};

}  // namespace holdfast::search
