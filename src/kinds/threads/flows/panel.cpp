#include "kinds/threads/flows/panel.h"

#include "base/run/pool.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
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

std::string normalised(std::string_view answer) {
  std::string out;
  bool gap = false;
  for (const char c : fold_case(answer)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool counts = byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z');
    if (counts && gap && !out.empty()) out += ' ';
    if (counts) out += c;
    gap = !counts;
  }
  // An answer of nothing but symbols ("+", "-") is told apart by them.
  return out.empty() ? std::string(trim(answer)) : out;
}

std::vector<Option> options_of(const std::vector<std::string>& answers) {
  std::vector<Option> options;
  for (std::size_t voter = 0; voter < answers.size(); ++voter) {
    std::string normal = normalised(answers[voter]);
    auto option = std::ranges::find(options, normal, &Option::normal);
    if (option == options.end()) option = options.insert(options.end(), {std::move(normal), {}});
    option->voters.push_back(voter);
  }
  return options;
}

std::optional<std::size_t> majority(const std::vector<std::optional<std::size_t>>& votes, std::size_t voters) {
  std::map<std::size_t, std::size_t> counts;
  for (const auto& vote : votes)
    if (vote && ++counts[*vote] * 2 > voters) return *vote;
  return std::nullopt;
}

}  // namespace holdfast::threads
