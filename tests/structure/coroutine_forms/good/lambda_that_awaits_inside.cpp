void start(asio::io_context& context, State state) {
  asio::co_spawn(
      context,
      [state = std::move(state)]() mutable -> asio::awaitable<void> {
        co_await suspend();
        Message message{"a", 1};
        co_await send(std::move(message));
      },
      asio::detached);
}
