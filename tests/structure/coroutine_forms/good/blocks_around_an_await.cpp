awaitable<void> caller() {
  try {
    for (int i = 0; i < 3; ++i) {
      if (i > 1) {
        co_await suspend();
      } else {
        co_await suspend();
      }
    }
  } catch (const std::exception& error) {
    log(error.what());
  }
}
