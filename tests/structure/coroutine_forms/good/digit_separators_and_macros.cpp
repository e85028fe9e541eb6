#define HF_AWAIT_ALL(a, b) \
  co_await a({1, 2});      \
  co_await b({1, 2})

constexpr int kMost = 16'777'216;
awaitable<void> caller() {
  HF_CO_TRY(auto text, co_await receive(kMost));
  int rows[2][2] = {{1, 2}, {3, 4}};
  log(text, rows[0][1]);
}
