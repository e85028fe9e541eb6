awaitable<int> caller() {
  if (co_await count() > 0) co_return 1;
  co_return 0;
}
