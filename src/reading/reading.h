#pragma once

// A session that was opened to be read: its heading, and its turns in windows.
//
// A window costs what it shows, not what the session holds: whoever renders pages asks for one, whoever exports asks for all of
// them, one after the other. Implementations say which threads may use them; each window is complete in itself.

#include "base/files/fd.h"
#include "base/result.h"
#include "reading/turn.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace holdfast::reading {

// Bytes that can be read from any offset, wherever they are: a file, or a copy that the guard kept of one that is gone.
struct ByteSource {
  // Fills `to` from an offset and answers how many bytes; fewer only at the end. One thread at a time.
  std::function<Result<std::size_t>(std::uint64_t offset, std::span<char> to)> read;
  std::uint64_t size = 0;   // what can be read now
  std::string incarnation;  // differs when what was read before is not what stands there now; growing does not change it
};

// A regular file, as long as it is now. Errors: io, invalid (not a regular file).
Result<ByteSource> file_source(Fd fd);

// How much of a single text is wanted. A page shows a screenful and links to the rest; an export takes what a person could
// possibly scroll through.
struct ReadLimits {
  std::size_t text_bytes = 16 * 1024;
  std::size_t image_bytes = 0;  // of base64; 0: references only
};
inline constexpr ReadLimits kExportLimits{1024 * 1024, 16 * 1024 * 1024};

inline constexpr std::uint64_t kToTheEnd = UINT64_MAX;  // for WindowQuery::before
inline constexpr std::size_t kTurnsOfWindow = 50;
// Of text: the window ends early when its turns hold this much, so that memory and the page stay small whatever they are.
inline constexpr std::size_t kWindowBytes = 2 * 1024 * 1024;

struct WindowQuery {
  std::uint64_t from = 0;    // the first line wanted; 0: the beginning. One of another branch opens that branch
  std::uint64_t before = 0;  // instead: the turns that end before this line; beyond the last line: the end of the session
  std::size_t turns = kTurnsOfWindow;
  ReadLimits limits;
};

struct Window {
  std::vector<Turn> turns;
  // The line with which the next window begins, which is not always one further down the file; nullopt: this is the last.
  std::optional<std::uint64_t> next;
  std::optional<std::uint64_t> previous;  // `before` of the window that ends where this begins; nullopt: this is the first
  std::uint64_t last_line = 0;            // of the session as it is now
  std::optional<std::uint64_t> branch;    // the way shown is another than the current one, and leads through this line
};

struct ImageBytes {
  std::string media_type;
  std::string bytes;
};

class Reading {
 public:
  virtual ~Reading() = default;
  virtual const Heading& heading() const = 0;
  virtual Result<Window> window(const WindowQuery& query) = 0;
  // not_found, invalid (not an image we show), too_large.
  virtual Result<ImageBytes> image(std::string_view reference);
  // A record as it stands in the file, whole; the output of a tool that was saved beside it. not_found.
  virtual Result<ByteSource> whole_record(std::uint64_t line);
  virtual Result<ByteSource> saved_file(std::string_view reference);
  // A conversation that a tool call of this session began. not_found.
  virtual Result<std::unique_ptr<Reading>> subagent(std::string_view id);
};

// Every window of a session, in order, until `take` fails. Errors: internal (a producer that does not come to an end).
Result<void> each_window(Reading& reading, const ReadLimits& limits, const std::function<Result<void>(Window&)>& take);

}  // namespace holdfast::reading
