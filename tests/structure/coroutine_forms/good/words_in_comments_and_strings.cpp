// co_await send(Message{"a", 1});
awaitable<void> caller() {
  /* switch (co_await f()) */
  log("co_await send({1, 2})", R"(co_await [x] { }())", '{');
  co_await suspend();  // co_await twice { }
}
