awaitable<void> caller() {
  co_await send({"a", 1});
}
