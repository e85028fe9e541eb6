// TranscriptSources: reading.

#include "base/crypto/byte_hash.h"
#include "jsonl/limits.h"
#include "jsonl/line_reader.h"
#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/lines/line_glance.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "session/blobs.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

namespace holdfast::transcripts {

using search::Passage;
using search::Source;

namespace {

using search::Source;

// The lines of one source, wherever its bytes are: in a file, a compressed one, or the guard.
class SourceLines {
 public:
  // Lines that begin at `from` or behind it. Nothing behind `end` is read but where a source has no place to seek to. The file
  // (of the source's path) is opened already, or missing: then the guard has it.
  static Result<SourceLines> open(std::shared_ptr<const Fd> file, session::Blobs* guard, const search::Source& source,
                                  const SourceName& name, std::uint64_t from, std::uint64_t end) {
    if (!file && !guard) return fail(ErrorKind::not_found, source.key + " is gone");
    if (!file) return of_guard(*guard, source, name, from);
    SourceLines opened;
    opened.file_ = std::move(file);
    if (name.path.ends_with(".zst")) {
      HF_TRY(auto lines, lines_of_zstd(in_order(*opened.file_)));
      opened.lines_ = std::move(lines);
      opened.skip_ = from;
    } else {
      opened.lines_ = jsonl::LineReader::of_range(opened.file_->get(), from, end);
    }
    return opened;
  }

  // Offsets are those of the source.
  Result<std::optional<jsonl::Line>> next() {
    for (;;) {
      HF_TRY(auto line, lines_->next());
      if (!line) return line;
      line->offset += base_;
      if (line->offset >= skip_) return line;
    }
  }

 private:
  static Result<SourceLines> of_guard(session::Blobs& guard, const search::Source& source, const SourceName& name,
                                      std::uint64_t from) {
    HF_TRY(auto kept, guard.file(source.key));
    if (!kept) return fail(ErrorKind::not_found, source.key + " is neither there nor in the guard");
    if (name.path.ends_with(".zst"))
      return fail(ErrorKind::unavailable, source.key + " is compressed, and only the guard has it", "restore the session");
    SourceLines opened;
    opened.base_ = from;
    opened.lines_ = jsonl::LineReader::of_source(
        [&guard, kept = *std::move(kept), at = from](char* to, std::size_t room) mutable -> Result<std::size_t> {
          HF_TRY(const std::size_t count, guard.read(kept, at, {to, room}));
          at += count;
          return count;
        });
    return opened;
  }

  std::shared_ptr<const Fd> file_;
  std::optional<jsonl::LineReader> lines_;
  std::uint64_t base_ = 0;  // of the stream in the source
  std::uint64_t skip_ = 0;  // lines before it are not wanted
};

// Files that stay open: a search verifies several blocks of one, and opening it costs as much as reading it.
constexpr std::size_t kOpenFiles = 256;
// Where the first turn of a rollout stands: behind the instructions.
constexpr std::uint64_t kRolloutOpeningBytes = 512 * 1024;
constexpr std::size_t kKeptBytes = 1 << 20;
constexpr std::size_t kProofBytes = 4096;
constexpr ByteHash::Seed kProofSeed{0x70726F6F66, 0x686F6C6466617374};

Result<std::size_t> read_at(int file, std::uint64_t offset, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading a transcript", errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

// One call of read().
class TranscriptSources::Reading {
 public:
  Reading(TranscriptSources& sources, const Source& source, const SourceName& name, const search::Wanted& wanted,
          const Take& take)
      : sources_(sources), source_(source), name_(name), take_(take), glance_(wanted, name.codex), tools_(sources.take_tools()) {}
  ~Reading() { sources_.give_back(std::move(tools_)); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  Result<Position> run(Position from, std::uint64_t to) {
    HF_TRY(file_, sources_.open(source_, name_));
    if (!name_.is_conversation()) return saved(from, to);
    passages_ = name_.codex ? tools_->codex.get() : tools_->claude.get();
    if (name_.codex) passages_->begin_file(sources_.opening_of(source_, name_));
    // A search verifies blocks, small parts that end with a line: reading on behind them would cost more than the part.
    if (file_ && to <= source_.size && to - from.offset <= jsonl::kReadBytes && !name_.path.ends_with(".zst")) {
      HF_TRY(from, block(from, to));
      if (over_ || from.offset >= to) return from;
    }
    return conversation(from, to);
  }

 private:
  // Whether to go on.
  bool line(std::string_view text, const LinePlace& place) {
    over_ = glance_.may_hold(text) && !passages_->line(text, place, take_);
    return !over_;
  }

  // Whole lines of the part; where the last goes on behind it, it is not read.
  Result<Position> block(Position at, std::uint64_t to) {
    std::string& bytes = tools_->bytes;
    const auto size = static_cast<std::size_t>(to - at.offset);
    if (bytes.size() < size) bytes.resize(size);
    HF_TRY(const std::size_t got, read_at(file_->get(), at.offset, bytes.data(), size));
    for (std::size_t begin = 0; begin < got && !over_;) {
      const void* newline = std::memchr(bytes.data() + begin, '\n', got - begin);
      if (!newline) break;
      const auto end = static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data());
      std::string_view text = std::string_view(bytes).substr(begin, end - begin);
      if (text.ends_with('\r')) text.remove_suffix(1);
      const LinePlace place{at.offset, at.offset + (end + 1 - begin), at.line};
      line(text, place);
      at = {place.end, at.line + 1};
      begin = end + 1;
    }
    return at;
  }

  Result<Position> conversation(Position at, std::uint64_t to) {
    HF_TRY(SourceLines lines, SourceLines::open(file_, sources_.guard_, source_, name_, at.offset, source_.size));
    bool between = true;  // lines, not in the pieces of an overlong one
    while (!over_) {
      HF_TRY(const auto next, lines.next());
      if (!next || next->offset >= to) return at;
      if (next->ending.empty() && !next->overlong) return at;  // torn
      const LinePlace place{next->offset, next->offset + next->bytes().size(), at.line};
      if (!next->overlong && between) line(next->text, place);
      between = !next->overlong || !next->ending.empty();
      at.offset = place.end;
      if (between) ++at.line;
    }
    return at;
  }

  // Parts are whole lines; how they are cut depends on what stands before them alone.
  Result<Position> saved(Position at, std::uint64_t to) {
    while (!over_ && at.offset < std::min(to, source_.size)) {
      std::string& bytes = tools_->bytes;
      bytes.clear();
      for (std::size_t wanted = kSavedPart;; wanted *= 2) {
        const std::size_t before = bytes.size();
        bytes.resize(wanted);
        HF_TRY(const std::size_t got, read_bytes(at.offset + before, bytes.data() + before, wanted - before));
        bytes.resize(before + got);
        const std::size_t end = before == 0 ? bytes.rfind('\n') : bytes.find('\n', before);
        if (bytes.size() < wanted) break;
        if (end == std::string::npos) continue;
        bytes.resize(end + 1);
        break;
      }
      if (bytes.empty()) return at;
      const LinePlace place{at.offset, at.offset + bytes.size(), at.line};
      over_ = !part(place);
      at = {place.end, at.line + static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'))};
    }
    return at;
  }

  Result<std::size_t> read_bytes(std::uint64_t offset, char* to, std::size_t size) {
    if (file_) return read_at(file_->get(), offset, to, size);
    if (!sources_.guard_) return fail(ErrorKind::not_found, source_.key + " is gone");
    if (!kept_) {
      HF_TRY(kept_, sources_.guard_->file(source_.key));
      if (!kept_) return fail(ErrorKind::not_found, source_.key + " is neither there nor in the guard");
    }
    std::size_t done = 0;
    while (done < size) {
      HF_TRY(const std::size_t got, sources_.guard_->read(*kept_, offset + done, {to + done, size - done}));
      if (got == 0) break;
      done += got;
    }
    return done;
  }

  // A result that is JSON from its first byte to its last is the strings in it, any other the text as it stands.
  bool part(const LinePlace& place) {
    bool is_json = false;
    const auto dated = [&](const Passage& passage) {
      is_json = true;
      Passage with_time = passage;
      with_time.time = source_.changed_at;  // saved results say nothing of time; their file does
      return take_(with_time);
    };
    if (name_.path.ends_with(".json") && place.begin == 0 && place.end >= source_.size) {
      // On one line for the scanner: line ends are white space there, and none stand inside of strings.
      std::string flat = tools_->bytes;
      std::ranges::replace(flat, '\n', ' ');
      const bool go_on = tools_->json->line(flat, place, dated);
      if (is_json || !go_on) return go_on;
    }
    Passage passage{place.begin, place.end, place.number, search::PassageRole::tool_result, 0, tools_->bytes, {}, true};
    return dated(passage);
  }

  TranscriptSources& sources_;
  const Source& source_;
  const SourceName& name_;
  const Take& take_;
  LineGlance glance_;
  std::unique_ptr<Tools> tools_;
  std::shared_ptr<const Fd> file_;
  std::optional<session::KeptFile> kept_;  // instead of the file
  LinePassages* passages_ = nullptr;
  bool over_ = false;  // nothing more is wanted
};

Result<search::PassageSources::Position> TranscriptSources::read(const Source& source, Position from, std::uint64_t to,
                                                                 const Take& take) {
  return read_wanted(source, from, to, {}, take);
}

Result<search::PassageSources::Position> TranscriptSources::read_wanted(const Source& source, Position from, std::uint64_t to,
                                                                        const search::Wanted& wanted, const Take& take) {
  const auto name = source_name(source.key);
  if (!name) return fail(ErrorKind::not_found, source.key + " is no transcript");
  return Reading(*this, source, *name, wanted, take).run(from, to);
}

Result<std::uint64_t> TranscriptSources::proof(const Source& source, std::uint64_t offset) {
  const auto name = source_name(source.key);
  if (!name || is_kept(source) || !name->is_conversation() || name->path.ends_with(".zst")) return 0;
  HF_TRY(const auto file, open(source, *name));
  if (!file) return 0;
  std::array<char, 2 * kProofBytes> bytes{};
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(offset, kProofBytes));
  HF_TRY(std::size_t got, read_at(file->get(), 0, bytes.data(), size));
  HF_TRY(const std::size_t behind, read_at(file->get(), offset - size, bytes.data() + got, size));
  got += behind;
  return ByteHash(kProofSeed)({bytes.data(), got}) | 1;
}

Result<std::shared_ptr<const Fd>> TranscriptSources::open(const Source& source, const SourceName& name) {
  if (is_kept(source)) return nullptr;
  // A compressed one is read from where its descriptor stands.
  const bool shared = !name.path.ends_with(".zst");
  if (shared) {
    const std::lock_guard lock(mutex_);
    const auto known = open_files_.find(source.key);
    if (known != open_files_.end() && known->second.incarnation == source.incarnation) return known->second.file;
  }
  auto opened = (name.codex ? homes_.codex : homes_.claude).open_file(name.path);
  if (!opened && opened.error().kind == ErrorKind::not_found && guard_) return nullptr;
  if (!opened) return fail(std::move(opened).error());
  auto file = std::make_shared<const Fd>(*std::move(opened));
  if (shared) {
    const std::lock_guard lock(mutex_);
    if (open_files_.size() >= kOpenFiles) open_files_.erase(open_files_.begin());
    open_files_.insert_or_assign(source.key, OpenFile{source.incarnation, file});
  }
  return file;
}

// The disk gets back what a client has deleted; a name that means another file by now is found by its incarnation.
void TranscriptSources::forget_deleted_files() {
  const std::lock_guard lock(mutex_);
  std::erase_if(open_files_, [](const auto& each) {
    struct stat status{};
    return ::fstat(each.second.file->get(), &status) != 0 || status.st_nlink == 0;
  });
}

FileOpening TranscriptSources::opening_of(const Source& source, const SourceName& name) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = openings_.find(source.key);
    if (known != openings_.end() && known->second.incarnation == source.incarnation) return known->second.opening;
  }
  auto file = open(source, name);
  if (!file) return {};
  auto lines = SourceLines::open(*file, guard_, source, name, 0, kRolloutOpeningBytes);
  if (!lines) return {};
  bool complete = false, long_enough = false;
  const FileOpening opening = codex_opening(
      [&]() -> std::optional<std::string_view> {
        const auto line = lines->next();
        long_enough = line && *line && (*line)->offset >= kRolloutOpeningBytes;
        if (!line || !*line || (*line)->ending.empty() || long_enough) return std::nullopt;
        return (*line)->text;
      },
      complete);
  const std::lock_guard lock(mutex_);
  if (complete || source.size >= kRolloutOpeningBytes)
    openings_.insert_or_assign(source.key, KnownOpening{source.incarnation, opening});
  return opening;
}

std::unique_ptr<TranscriptSources::Tools> TranscriptSources::take_tools() {
  {
    const std::lock_guard lock(mutex_);
    if (!tools_.empty()) {
      auto tools = std::move(tools_.back());
      tools_.pop_back();
      return tools;
    }
  }
  auto tools = std::make_unique<Tools>();
  tools->claude = claude_passages();
  tools->codex = codex_passages();
  tools->json = json_passages();
  return tools;
}

void TranscriptSources::give_back(std::unique_ptr<Tools> tools) {
  if (tools->bytes.size() > kKeptBytes) tools->bytes = {};
  const std::lock_guard lock(mutex_);
  tools_.push_back(std::move(tools));
}

}  // namespace holdfast::transcripts
