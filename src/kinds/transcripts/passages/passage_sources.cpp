// Which sources there are. Reading them: source_reading.cpp.

#include "kinds/transcripts/passages/passage_sources.h"

#include "base/ids.h"
#include "jsonl/line_reader.h"
#include "jsonl/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace holdfast::transcripts {

namespace {

using search::Source;

constexpr std::uint64_t kNanosecondsPerMilli = 1'000'000;

// Every project; in it the folders of sessions; in them whatever there is, however deep.
bool descends_in_projects(std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == path.npos) return true;
  const std::string_view inside = path.substr(first + 1);
  return inside.contains('/') || is_uuid(inside);
}
// Year, month, day.
bool descends_in_sessions(std::string_view path) {
  return std::ranges::count(path, '/') < 3;
}
bool descends_nowhere(std::string_view path) {
  static_cast<void>(path);
  return false;
}

// A conversation goes on in its file; what has no lines to go on with is another one when it was written to.
std::string incarnation_of(const SourceName& name, const ListedFile::State& state) {
  if (name.is_conversation() && !name.is_compressed()) return fmt::format("{:x}", state.inode);
  return fmt::format("{:x}.{:x}.{:x}", state.inode, state.size, state.modified);
}

}  // namespace

SourceListing::SourceListing(const Homes& homes, Keeping keeping)
    : homes_(homes),
      keeping_(keeping),
      areas_{ListedArea(homes.claude, kClaudeKeys, "projects", descends_in_projects, false),
             ListedArea(homes.codex, kCodexKeys, "sessions", descends_in_sessions, true),
             ListedArea(homes.codex, kCodexKeys, "archived_sessions", descends_nowhere, true)} {}

Result<search::SourceList> SourceListing::get() {
  const std::lock_guard lock(mutex_);
  if (const auto looked = look(); !looked) {
    for (ListedArea& area : areas_) area.forget(watch_.get());
    return fail(looked.error());
  }
  bool changed = !current_ || unresolved_;
  for (ListedArea& area : areas_) changed = area.take_changed() || changed;
  if (changed) current_ = assemble();
  return current_;
}

bool SourceListing::is_kept() {
  const std::lock_guard lock(mutex_);
  return watch_ != nullptr;
}

Result<void> SourceListing::look() {
  const Time now = std::chrono::steady_clock::now();
  if (!keeping_.kept || (!watch_ && now < try_again_)) return look_at_all();
  bool everything = false;
  if (!watch_) {
    watch_ = FileWatch::open(keeping_.most_watches > 0 ? keeping_.most_watches : FileWatch::fair_share());
    try_again_ = now + kTryAgain;
    everything = true;
  } else {
    events_.clear();
    if (watch_->take(events_)) {
      for (const FileWatch::Event& event : events_)
        for (ListedArea& area : areas_) area.note(event);
      for (ListedArea& area : areas_) HF_CHECK(area.correct(*watch_));
      everything = now >= look_again_;
    } else {
      for (ListedArea& area : areas_) area.forget(watch_.get());
      everything = true;
    }
  }
  if (everything) {
    HF_CHECK(look_at_all());
    look_again_ = now + kLookAgain;
  }
  if (watch_ && (watch_->is_exhausted() || std::ranges::any_of(areas_, &ListedArea::cannot_be_kept))) {
    // What was found is as true as without watches; it can just not be relied on the next time.
    stop_watching();
    try_again_ = now + kTryAgain;
  }
  return {};
}

Result<void> SourceListing::look_at_all() {
  for (ListedArea& area : areas_) HF_CHECK(area.look_at_all(watch_.get()));
  return {};
}

void SourceListing::stop_watching() {
  for (ListedArea& area : areas_) area.stop_watching();
  watch_.reset();
}

search::SourceList SourceListing::assemble() {
  auto sources = std::make_shared<std::vector<Source>>();
  sources->reserve(areas_[kProjects].files().size());
  unresolved_ = false;
  for (auto& [path, file] : areas_[kProjects].files())
    if (file.state) add(file, *sources);
  add_codex(*sources);
  return sources;
}

// Of one id that occurs several times one counts, as everywhere (codex.h).
void SourceListing::add_codex(std::vector<Source>& sources) {
  struct Candidate {
    ListedFile* file = nullptr;
    bool archived = false;
    // Plain before compressed, active before archived, newer before older.
    auto rank() const { return std::tuple(!file->name.is_compressed(), !archived, file->state->modified / kNanosecondsPerMilli); }
  };
  std::map<std::string_view, Candidate> best;
  for (const Area area : {kSessions, kArchived})
    for (auto& [path, file] : areas_[area].files()) {
      if (!file.state) continue;
      const Candidate candidate{&file, area == kArchived};
      const auto [known, is_first] = best.emplace(file.name.session, candidate);
      if (!is_first && candidate.rank() > known->second.rank()) known->second = candidate;
    }
  for (const auto& [id, candidate] : best) add(*candidate.file, sources);
}

void SourceListing::add(ListedFile& file, std::vector<Source>& sources) {
  if (make_source(file))
    sources.push_back(*file.source);
  else
    unresolved_ = true;
}

// False: not written yet, nobody's, or it cannot be read.
bool SourceListing::make_source(ListedFile& file) {
  if (file.source) return true;
  Source source;
  source.session = file.name.session.empty() ? session_of_flat_agent(file.name, file.state->inode) : file.name.session;
  if (source.session.empty()) return false;
  source.key = file.key;
  source.kind = "transcript";
  source.changed_at = static_cast<Millis>(file.state->modified / kNanosecondsPerMilli);
  source.stamp = file.state->modified;
  source.size = file.state->size;
  source.incarnation = incarnation_of(file.name, *file.state);
  if (file.name.is_compressed()) {
    CodexSession session;
    session.id = file.name.session;
    session.path = file.name.path;
    session.compressed = true;
    const auto inventory = homes_.inventory(AnySession{session});
    if (!inventory) return false;
    source.size = inventory->bytes();
  }
  file.source = std::move(source);
  return true;
}

std::string SourceListing::session_of_flat_agent(const SourceName& name, std::uint64_t inode) {
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

namespace {

using search::Source;

constexpr std::string_view kKept = "kept:";  // begins the incarnation of what only the guard has

}  // namespace

bool is_kept(const Source& source) {
  return source.incarnation.starts_with(kKept);
}

Result<search::SourceList> TranscriptSources::list() {
  HF_TRY(auto sources, listing_.get());
  if (guard_) {
    HF_TRY(sources, with_kept(sources));
  }
  {
    const std::lock_guard lock(mutex_);
    if (sources == listed_) return sources;
    listed_ = sources;
  }
  forget_deleted_files();
  return sources;
}

Result<search::SourceList> TranscriptSources::with_kept(const search::SourceList& there) {
  const std::lock_guard lock(kept_mutex_);
  // Asked before the files are: what is kept in between is asked for again.
  HF_TRY(const std::int64_t generation, guard_->generation());
  const bool same_kept = kept_beside_ && generation == kept_generation_;
  if (same_kept && kept_beside_ == there) return there_or_kept_;
  if (!same_kept) {
    HF_TRY(const auto files, guard_->files());
    kept_.clear();
    for (const session::KeptFile& file : files) {
      const auto name = source_name(file.key);
      if (!name || name->session.empty()) continue;
      Source source;
      source.key = file.key;
      source.session = name->session;
      source.kind = "transcript";
      source.changed_at = file.modified_at;
      source.size = file.size;
      source.incarnation = fmt::format("{}{}", kKept, file.version);
      kept_.push_back(std::move(source));
    }
  }
  std::unordered_set<std::string_view> keys;
  for (const Source& source : *there) keys.insert(source.key);
  auto all = std::make_shared<std::vector<Source>>(*there);
  for (const Source& source : kept_)
    if (!keys.contains(source.key)) all->push_back(source);
  kept_generation_ = generation;
  kept_beside_ = there;
  there_or_kept_ = std::move(all);
  return there_or_kept_;
}

}  // namespace holdfast::transcripts
