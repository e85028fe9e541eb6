awaitable<void> caller() {
  co_await send(Message{"a", 1});
}
