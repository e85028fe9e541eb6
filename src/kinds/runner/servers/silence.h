#pragma once

// What is remembered of a server that did not answer in time: nobody waits for it again until it says something.
//
// It is asked for a sign of life meanwhile, without anybody waiting; that answer, a notification or a new connection ends the
// silence. Any thread.

#include "base/result.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast::runner {

// The code of calls that were not made because of it.
inline constexpr std::string_view kPassedOver = "passed_over";

class Silence {
 public:
  // what: the request that was not answered, "tools/list".
  void begins(std::string_view what);
  void heard();
  // Why the server is passed over, as an error of it; nothing: it answers.
  std::optional<Error> error(std::string_view server) const;
  // False: it has not been heard within this time.
  bool wait_until_heard(std::chrono::milliseconds patience, const std::stop_token& stop);
  // Asks unless a question is open. ask: begins to ask, waits for nothing, and tells once whether there was an answer. It lives
  // until then.
  static void ask_for_a_sign(const std::shared_ptr<Silence>& silence,
                             const std::function<void(std::function<void(bool answered)>)>& ask);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string what_;  // empty: it answers
  bool asking_ = false;
};

}  // namespace holdfast::runner
