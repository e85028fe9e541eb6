awaitable<int> send_all(std::vector<Message> messages);
awaitable<void> caller(Message a, Message b) {
  co_await send_all({a, b});
}
