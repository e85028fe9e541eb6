awaitable<int> send_moved(Message&& message);
awaitable<void> caller() {
  auto sent = co_await send_moved(Message{
      "a",
      1,
  });
}
