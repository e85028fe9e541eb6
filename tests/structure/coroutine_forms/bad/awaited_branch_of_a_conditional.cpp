awaitable<void> caller(bool wanted) {
  std::string text = wanted ? co_await receive() : std::string(100, 'a');
}
