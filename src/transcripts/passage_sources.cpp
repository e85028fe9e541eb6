#include "transcripts/passage_sources.h"

#include "base/ids.h"
#include "jsonl/limits.h"
#include "jsonl/scan.h"
#include "transcripts/codex_file_name.h"
#include "transcripts/line_passages.h"
#include "transcripts/zstd_lines.h"

#include <fmt/format.h>

#include <dirent.h>

#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

using session::Passage;
using session::Source;

constexpr std::string_view kProjects = "projects/";
constexpr std::string_view kLineEnding = ".jsonl";
constexpr std::string_view kKept = "kept:";  // begins the incarnation of what only the guard has

// What has text that a person or a model has seen. Metadata, tasks and undo copies are no part of the conversation.
bool can_be_searched(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::main_transcript:
    case ArtifactKind::flat_agent:
    case ArtifactKind::nested_agent:
    case ArtifactKind::tool_result:
    case ArtifactKind::session_memory:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<LinePassages> passages_of(const SourceName& name) {
  if (name.codex) return codex_passages();
  if (is_line_file(name.kind)) return claude_passages();
  return name.path.ends_with(".json") ? json_passages() : text_passages();
}

std::string incarnation_of(const struct stat& status) {
  return fmt::format("{:x}", status.st_ino);
}

// The lines of a source, wherever its bytes are.
class OpenSource {
 public:
  // `end`: nothing behind it is read; where a source has no lines to seek to, it may be.
  static Result<OpenSource> open(const Home& home, session::Blobs* guard, const Source& source, const SourceName& name,
                                 std::uint64_t from, std::uint64_t end) {
    OpenSource opened;
    auto file = is_kept(source) ? Result<Fd>(fail(ErrorKind::not_found, source.key)) : home.open_file(name.path);
    if (!file && file.error().kind == ErrorKind::not_found && guard) return of_guard(*guard, source, name, from);
    if (!file) return fail(std::move(file).error());
    opened.file_ = *std::move(file);
    if (name.path.ends_with(".zst")) {
      HF_TRY(auto lines, lines_of_zstd(opened.file_.get()));
      opened.lines_ = std::move(lines);
      opened.skip_ = from;
    } else {
      opened.lines_ = jsonl::LineReader::of_range(opened.file_.get(), from, end);
    }
    return opened;
  }

  // Offsets are those of the source. Only whole lines, but of plain text also a last one without its end.
  Result<std::optional<jsonl::Line>> next() {
    for (;;) {
      HF_TRY(auto line, lines_->next());
      if (!line) return line;
      line->offset += base_;
      if (line->offset >= skip_) return line;
    }
  }

 private:
  static Result<OpenSource> of_guard(session::Blobs& guard, const Source& source, const SourceName& name, std::uint64_t from) {
    HF_TRY(auto kept, guard.file(source.key));
    if (!kept) return fail(ErrorKind::not_found, source.key + " is neither there nor in the guard");
    if (name.path.ends_with(".zst"))
      return fail(ErrorKind::unavailable, source.key + " is compressed, and only the guard has it", "restore the session");
    OpenSource opened;
    opened.base_ = from;
    opened.lines_ = jsonl::LineReader::of_source(
        [&guard, kept = *std::move(kept), at = from](char* to, std::size_t room) mutable -> Result<std::size_t> {
          HF_TRY(const std::size_t count, guard.read(kept, at, {to, room}));
          at += count;
          return count;
        });
    return opened;
  }

  Fd file_;
  std::optional<jsonl::LineReader> lines_;
  std::uint64_t base_ = 0;  // of the stream in the source
  std::uint64_t skip_ = 0;  // lines before it are not wanted
};

}  // namespace

std::optional<SourceName> source_name(std::string_view key) {
  SourceName name;
  if (key.starts_with(kCodexKeys)) {
    name.codex = true;
    name.path = key.substr(kCodexKeys.size());
    const auto file = codex_file_of(name.path);
    if (!file) return std::nullopt;
    name.session = file->id;
    return name;
  }
  if (!key.starts_with(kClaudeKeys)) return std::nullopt;
  name.path = key.substr(kClaudeKeys.size());
  if (!name.path.starts_with(kProjects)) return std::nullopt;
  const std::string_view inside = std::string_view(name.path).substr(kProjects.size());
  const std::size_t slash = inside.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  name.project_folder = inside.substr(0, slash);
  std::string_view session = inside.substr(slash + 1);
  session = session.substr(0, session.find('/'));
  if (session.ends_with(kLineEnding)) session.remove_suffix(kLineEnding.size());
  if (is_uuid(session)) name.session = session;
  const auto kind = kind_of_path(name.path, {name.session, name.project_folder});
  if (!kind || !can_be_searched(*kind)) return std::nullopt;
  name.kind = *kind;
  if (name.session.empty() && name.kind != ArtifactKind::flat_agent) return std::nullopt;
  return name;
}

bool is_kept(const Source& source) {
  return source.incarnation.starts_with(kKept);
}

Result<std::vector<Source>> TranscriptSources::list() {
  std::vector<Source> sources;
  HF_CHECK(list_claude(sources));
  HF_CHECK(list_codex(sources));
  if (guard_) HF_CHECK(list_kept(sources));
  return sources;
}

Result<void> TranscriptSources::list_claude(std::vector<Source>& sources) {
  HF_TRY(const auto folders, homes_.claude.entries("projects"));
  for (const Home::Entry& folder : folders)
    if (folder.type == DT_DIR) HF_CHECK(list_project(std::string(kProjects) + folder.name, sources));
  return {};
}

Result<void> TranscriptSources::list_project(const std::string& folder, std::vector<Source>& sources) {
  // Transcripts of the project, then whatever lies in the folders of its sessions, however deep.
  std::vector<std::string> waiting = {folder};
  while (!waiting.empty()) {
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    const auto entries = homes_.claude.entries(path);
    if (!entries) continue;  // it has gone, or may not be read; the others can be found all the same
    for (const Home::Entry& entry : *entries) {
      std::string below = path + "/" + entry.name;
      if (entry.type == DT_DIR && (path != folder || is_uuid(entry.name)))
        waiting.push_back(std::move(below));
      else if (entry.type == DT_REG)
        add(homes_.claude, std::string(kClaudeKeys) + below, sources);
    }
  }
  return {};
}

void TranscriptSources::add(const Home& home, std::string key, std::vector<Source>& sources) {
  auto name = source_name(key);
  if (!name) return;
  const auto status = home.stat(name->path);
  if (!status || !*status || !S_ISREG((*status)->st_mode)) return;
  Source source;
  source.key = std::move(key);
  source.session = name->session.empty() ? session_of_flat_agent(*name, (*status)->st_ino) : std::move(name->session);
  if (source.session.empty()) return;  // not written yet, or nobody's
  source.kind = "transcript";
  source.changed_at = mtime_of(**status);
  source.size = static_cast<std::uint64_t>((*status)->st_size);
  source.incarnation = incarnation_of(**status);
  sources.push_back(std::move(source));
}

std::string TranscriptSources::session_of_flat_agent(const SourceName& name, ino_t inode) {
  const std::lock_guard lock(mutex_);
  if (const auto known = flat_agents_.find({name.path, inode}); known != flat_agents_.end()) return known->second;
  const auto file = homes_.claude.open_file(name.path);
  if (!file) return {};
  auto lines = jsonl::LineReader::of_stream(file->get());
  const auto line = lines.next();
  if (!line || !*line) return {};
  jsonl::Scanner scanner;
  constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
  std::array<jsonl::Token, 1> found;
  scanner.fields((*line)->text, kNames, found);
  // It stands in commands that people paste, so it has to be an id and nothing else.
  const std::string id = found[0].text();
  if (!is_uuid(id)) return {};
  return flat_agents_[{name.path, inode}] = id;
}

Result<void> TranscriptSources::list_codex(std::vector<Source>& sources) {
  HF_TRY(const auto sessions, codex_sessions(homes_.codex));
  for (const CodexSession& session : sessions) {
    const std::size_t before = sources.size();
    add(homes_.codex, std::string(kCodexKeys) + session.path, sources);
    if (sources.size() == before || !session.compressed) continue;
    const auto inventory = codex_inventory(homes_.codex, session);
    if (inventory)
      sources.back().size = inventory->bytes();
    else
      sources.pop_back();
  }
  return {};
}

Result<void> TranscriptSources::list_kept(std::vector<Source>& sources) {
  std::set<std::string, std::less<>> there;
  for (const Source& source : sources) there.insert(source.key);
  HF_TRY(const auto files, guard_->files());
  for (const session::KeptFile& file : files) {
    if (there.contains(file.key)) continue;
    const auto name = source_name(file.key);
    if (!name || name->session.empty()) continue;
    Source source;
    source.key = file.key;
    source.session = name->session;
    source.kind = "transcript";
    source.changed_at = file.modified_at;
    source.size = file.size;
    source.incarnation = fmt::format("{}{}", kKept, file.version);
    sources.push_back(std::move(source));
  }
  return {};
}

Result<session::PassageSources::Position> TranscriptSources::read(const Source& source, Position from, std::uint64_t to,
                                                                  const std::function<bool(const Passage&)>& take) {
  const auto name = source_name(source.key);
  if (!name) return fail(ErrorKind::not_found, source.key + " is no transcript");
  // A search verifies blocks, small parts that end with a line: reading on behind them would cost more than the part. Only when
  // the last line turns out to go on is it read again, with the rest.
  std::uint64_t end = to < source.size && to - from.offset <= jsonl::kReadBytes ? to : source.size;
  const Home& home = name->codex ? homes_.codex : homes_.claude;
  HF_TRY(OpenSource opened, OpenSource::open(home, guard_, source, *name, from.offset, end));
  const auto passages = passages_of(*name);
  const bool whole_lines = name->codex || is_line_file(name->kind);
  // Saved results say nothing of time; their file does.
  const auto take_dated = [&](const Passage& passage) {
    if (passage.time > 0 || whole_lines) return take(passage);
    Passage dated = passage;
    dated.time = source.changed_at;
    return take(dated);
  };
  Position at = from;
  bool between = true;  // lines, not in the pieces of an overlong one
  for (;;) {
    HF_TRY(const auto line, opened.next());
    if (!line || line->offset >= to) return at;
    if (line->ending.empty() && end < source.size) {
      end = source.size;
      HF_TRY(opened, OpenSource::open(home, guard_, source, *name, at.offset, end));
      continue;
    }
    if (line->ending.empty() && !line->overlong && whole_lines) return at;
    const LinePlace place{line->offset, line->offset + line->bytes().size(), at.line};
    const bool go_on = line->overlong || !between || passages->line(line->text, place, take_dated);
    between = !line->overlong || !line->ending.empty();
    at.offset = place.end;
    if (between) ++at.line;
    if (!go_on) return at;
  }
}

}  // namespace holdfast::transcripts
