awaitable<Message> caller() {
  co_return Message{co_await text(), 1};
}
