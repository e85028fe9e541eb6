#pragma once

// What every call that asks a model works with. Lives for one call.

#include "kinds/threads/threads.h"

#include <chrono>

namespace holdfast::threads {

struct Workplace {
  session::Store& store;
  model::Models& models;
  std::chrono::milliseconds patience;  // with others on the same thread
  const Who& who;
};

}  // namespace holdfast::threads
