#include "kinds/transcripts/passages/transcript_watch.h"

#include "base/run/log.h"
#include "kinds/transcripts/guard/guard_watch.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <set>

namespace holdfast::transcripts {

namespace {

// What slips through the watching is found by whoever loads a page; folders are looked for again now and then.
constexpr std::chrono::minutes kLookAgain{15};

void follow(GuardWatch& watch, int stop, const TranscriptWatch::Changed& changed) {
  for (;;) {
    const auto news = watch.wait(kLookAgain, stop);
    if (!news) {
      log(LogLevel::warn, "transcripts", "changes of transcripts are no longer seen: " + news.error().message);
      return;
    }
    if (news->stopped) return;
    if (news->all || news->files.empty()) watch.watch_all();
    if (news->all) changed({});
    std::set<std::string> ids;
    for (const GuardedFile& file : news->files)
      if (std::string id = session_in_path(file); !id.empty()) ids.insert(std::move(id));
    for (const std::string& id : ids) changed(id);
  }
}

}  // namespace

Result<std::unique_ptr<TranscriptWatch>> TranscriptWatch::start(const Homes& homes, Changed changed) {
  Fd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return fail(system_error("eventfd", errno));
  HF_TRY(auto watch, GuardWatch::open(homes));
  watch->watch_all();
  std::unique_ptr<TranscriptWatch> made(new TranscriptWatch(std::move(stop)));
  made->thread_ = std::jthread([watch = std::move(watch), stop_fd = made->stop_.get(), changed = std::move(changed)] {
    follow(*watch, stop_fd, changed);
  });
  return made;
}

TranscriptWatch::~TranscriptWatch() {
  static_cast<void>(::eventfd_write(stop_.get(), 1));
}

}  // namespace holdfast::transcripts
