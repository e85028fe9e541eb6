awaitable<void> caller() {
  Message message{co_await text(), 1};
}
