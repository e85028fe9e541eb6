awaitable<void> caller(std::string name) {
  co_await [name]() -> awaitable<void> { co_return; }();
}
