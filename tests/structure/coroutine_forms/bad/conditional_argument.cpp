awaitable<void> caller(bool first) {
  co_await send(first ? make_message(1) : make_message(2));
}
