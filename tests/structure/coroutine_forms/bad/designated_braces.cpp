awaitable<void> caller() {
  co_await send({.text = "a", .count = 1});
}
