awaitable<int> caller() {
  while (co_await count() > 1) {
  }
  co_return 1;
}
