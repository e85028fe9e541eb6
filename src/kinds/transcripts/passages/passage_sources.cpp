// Which sources there are. Reading them: source_reading.cpp.

#include "kinds/transcripts/passages/passage_sources.h"

#include <fmt/format.h>

#include <unordered_set>

namespace holdfast::transcripts {
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
