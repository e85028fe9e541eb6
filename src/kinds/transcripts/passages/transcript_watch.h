#pragma once

// Tells which transcripts changed, as clients write them or remove them, from a thread of its own.

#include "kinds/transcripts/home/any_session.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace holdfast::transcripts {

class TranscriptWatch {
 public:
  // Called on the watch's thread with the id of each session that changed; an empty one: something did, look at everything.
  using Changed = std::function<void(const std::string& id)>;
  // `homes` lives longer. Errors: unavailable (the system gives out no more watchers), io.
  static Result<std::unique_ptr<TranscriptWatch>> start(const Homes& homes, Changed changed);
  ~TranscriptWatch();  // waits for the thread; nothing is told afterwards

 private:
  explicit TranscriptWatch(Fd stop) : stop_(std::move(stop)) {}

  Fd stop_;
  std::jthread thread_;
};

}  // namespace holdfast::transcripts
