awaitable<void> caller() {
  auto executor = co_await this_coro::executor;
  co_await co_spawn(executor, send(Message{"a", 1}), use_awaitable);
}
