awaitable<int> send_const(const Message& message);
awaitable<void> caller() {
  auto sent = co_await send_const(Message{"a", 1});
}
