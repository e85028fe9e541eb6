#pragma once

// Callbacks that must not outlive an object. Timers and posted tasks are wrapped; once the object is gone they do
// nothing. One thread only: the object must not die while such a callback runs on another one.

#include <memory>
#include <utility>

namespace holdfast {

class Lifeline {
 public:
  Lifeline() = default;
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  template <class Work>
  auto guard(Work work) const {
    return [held = std::weak_ptr<char>(token_), work = std::move(work)]<class... Arguments>(Arguments&&... arguments) mutable {
      if (!held.expired()) work(std::forward<Arguments>(arguments)...);
    };
  }
  // What was guarded so far does nothing from now on.
  void cut() { token_ = std::make_shared<char>(); }

 private:
  std::shared_ptr<char> token_ = std::make_shared<char>();
};

}  // namespace holdfast
