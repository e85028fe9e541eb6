awaitable<Message> caller() {
  std::vector<Message> all{Message{"a", 1}, Message{"b", 2}};
  auto sorted = [&all](int least) { return all.size() > static_cast<std::size_t>(least); };
  switch (all.size()) {
    case 0:
      co_return Message{"none", 0};
    default:
      break;
  }
  co_await suspend();
  co_return Message{"done", sorted(1) ? 1 : 0};
}
