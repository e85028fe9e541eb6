class Connection : public Base {
 public:
  explicit Connection(Socket socket) : socket_{std::move(socket)}, buffer_(kSize) {}

  awaitable<void> run() override {
    auto size = co_await socket_.async_read_some(asio::buffer(buffer_), use_awaitable);
    values_[size] = buffer_[0];
  }

 private:
  Socket socket_;
  std::array<int, 4> values_{0, 1, 2, 3};
};
