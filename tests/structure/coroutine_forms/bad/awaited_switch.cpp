awaitable<void> caller() {
  switch (co_await send(message)) {
    case 1:
      break;
    default:
      log();
  }
}
