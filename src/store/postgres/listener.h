#pragma once

// How a node learns of commits, its own and those of others: NOTIFY, sent with every commit that has events (an empty payload)
// or that asked for it (kWakePayload).
//
// The numbers of events are given out under a lock that is held until the commit is visible (locks.h). So whoever sees an event
// has already been able to see all with lower numbers, and reading by number leaves nothing out. (NOTIFY itself makes PostgreSQL
// commit one after the other, so the lock costs little more.)
//
// Has a connection of its own. When it breaks it is made again, and what was missed is read by number.

#include "store/postgres/pool.h"
#include "store/tables/event_hub.h"

#include <chrono>

namespace holdfast::store::postgres {

inline constexpr std::string_view kWakePayload = "w";

class Listener final : public EventSource {
 public:
  Listener(Pool& pool, const Context& context) : pool_(pool), context_(context) {}

  Result<void> begin() override;
  Heard wait(const Fd& stop) override;
  void end() override { connection_.reset(); }
  Result<std::vector<session::Event>> events_after(std::int64_t sequence, std::size_t limit) override;
  Result<std::int64_t> last_sequence() override;

 private:
  Result<Heard> take_notifications();  // an error: the connection broke
  // When there was news a moment ago: more is let come together. False: to be stopped.
  bool keep_pace(const Fd& stop);

  Pool& pool_;
  const Context& context_;
  std::unique_ptr<Connection> connection_;
  std::chrono::steady_clock::time_point told_;  // the last news
};

}  // namespace holdfast::store::postgres
