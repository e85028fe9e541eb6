#include "kinds/threads/flows/panel.h"

#include "base/run/pool.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

namespace holdfast::threads {
namespace {

using SteadyClock = std::chrono::steady_clock;

Error out_of_time(std::chrono::seconds limit) {
  return make_error(ErrorKind::timeout, fmt::format("no answer within {} s", limit.count()), "raise timeout_per_provider",
                    "PROVIDER_TIMEOUT");
}

}  // namespace

std::vector<PanelAnswer> ask_panel(model::Models& models, const Who& who, const PanelQuestion& question) {
  std::vector<PanelAnswer> answers(question.providers.size());
  std::atomic<bool> enough = false;
  std::mutex mutex;
  std::size_t arrived = 0;  // guarded by mutex
  Pool pool(question.at_once);
  for (std::size_t place = 0; place < answers.size(); ++place) {
    pool.submit([&, place] {
      PanelAnswer& mine = answers[place];  // nobody else touches it
      mine.provider = question.providers[place];
      if (enough) return;
      const auto deadline = SteadyClock::now() + question.timeout;
      model::Ask ask;
      ask.messages = question.messages;
      ask.provider = mine.provider;
      ask.purpose = question.purpose;
      ask.timeout = question.timeout;
      ask.cancelled = [&] { return enough || SteadyClock::now() >= deadline || (who.cancelled && who.cancelled()); };
      auto reply = models.complete(ask);
      if (!reply) {
        const bool late = reply.error().kind == ErrorKind::cancelled && SteadyClock::now() >= deadline;
        if (enough && reply.error().kind == ErrorKind::cancelled) return;
        mine.failure = late ? out_of_time(question.timeout) : std::move(reply).error();
        return;
      }
      if (question.keep) {
        auto kept = question.keep(mine.provider, *reply);
        if (!kept) {
          mine.failure = std::move(kept).error();
          return;
        }
        mine.message_id = *std::move(kept);
      }
      {
        const std::lock_guard lock(mutex);
        mine.arrival = ++arrived;
      }
      mine.reply = *std::move(reply);
      if (question.first_is_enough) enough = true;
    });
  }
  pool.close();
  return answers;
}

}  // namespace holdfast::threads
