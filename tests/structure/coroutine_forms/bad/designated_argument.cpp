awaitable<void> caller() {
  int sent = co_await send(Message{.text = "a", .count = 1});
}
