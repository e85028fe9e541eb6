#include "cli/services/search_service.h"

#include "base/run/log.h"
#include "kinds/transcripts/passages/everything_finder.h"
#include "search/index/open.h"
#include "store/blobs/open.h"

#include <algorithm>
#include <chrono>

namespace holdfast::cli {
namespace {

// Searches scan what is new; this only keeps that little.
constexpr std::chrono::seconds kBetweenUpdates{30};

std::unique_ptr<session::Blobs> open_guard(const std::string& folder) {
  // Also before something is kept: a server lives longer than that.
  auto guard = store::open_blobs(folder);
  if (guard) return *std::move(guard);
  log(LogLevel::warn, "search", "without the guard: " + guard.error().message);
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<SearchService>> SearchService::open(const Context& context, const transcripts::Homes& homes, bool stays) {
  // Where nothing can be written, everything is scanned.
  if (const auto made = make_data_folder(context.folders); !made) log(LogLevel::debug, "search", made.error().message);
  std::unique_ptr<SearchService> service(new SearchService);
  service->clock_ = context.clock.get();
  service->guard_ = open_guard(context.folders.data + "/guard");
  HF_TRY(service->index_, search::open_text_index(index_folder(context)));
  auto sources =
      std::make_unique<transcripts::TranscriptSources>(homes, service->guard_.get(), transcripts::Keeping{.kept = stays});
  service->finder_ = std::make_unique<transcripts::EverythingFinder>(homes, *sources, *service->index_, *context.clock);
  service->sources_ = std::move(sources);
  return service;
}

SearchService::~SearchService() = default;

void SearchService::keep_up() {
  const auto follow_once = [this](const std::stop_token& stop) { follow(stop); };
  std::call_once(keeping_up_, [&] { follower_.emplace("search", kBetweenUpdates, Ticker::First::at_once, follow_once); });
}

void SearchService::follow(const std::stop_token& stop) {
  const auto updated = index_->update(*sources_, {}, stop);
  // Another process that does the same is no trouble.
  if (!updated && updated.error().kind != ErrorKind::conflict && !stop.stop_requested())
    log(LogLevel::warn, "search", "the index is not up to date: " + updated.error().message);
  look_at_condition(updated.has_value());
}

SearchService::Condition SearchService::condition() const {
  const std::lock_guard lock(mutex_);
  return condition_;
}

void SearchService::look_at_condition(bool updated) {
  Condition now = condition();
  if (updated) now.updated_at = clock_->now();
  if (const auto index = index_->state(*sources_)) now.index = *index;
  // Everything that is kept is looked at only when that has changed.
  const auto generation = guard_ ? guard_->generation() : Result<std::int64_t>(guard_generation_);
  if (generation && *generation != guard_generation_) {
    const auto state = guard_->state();
    const auto files = guard_->files();
    if (state && files) {
      guard_generation_ = *generation;
      now.guard = *state;
      for (const session::KeptFile& file : *files) now.kept_at = std::max(now.kept_at, file.kept_at);
    }
  }
  const std::lock_guard lock(mutex_);
  condition_ = std::move(now);
}

}  // namespace holdfast::cli
