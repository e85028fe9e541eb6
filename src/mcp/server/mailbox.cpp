#include "mcp/server/mailbox.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {

namespace {
constexpr std::string_view kNodeMessageArea = "mcp.letter";
}

Mailbox::Mailbox(Executor& executor, Pool& pool, const Clock& clock, StateStore& store)
    : executor_(executor), pool_(pool), clock_(clock), store_(store) {}

Mailbox::~Mailbox() {
  *alive_ = false;
  if (auto ended = store_.watch({}); !ended) log(LogLevel::debug, "mcp", ended.error().message);
}

// ---- being there ----

Result<void> Mailbox::write_own_row() {
  return store_.put(kNodeArea, store_.address(), JsonObject{{"owner", store_.owner()}},
                    clock_.now() + std::chrono::milliseconds(kNodeLife).count());
}

Result<void> Mailbox::join() {
  if (!store_.is_shared()) return {};
  const std::lock_guard lock(join_mutex_);
  if (joined_) return {};
  // Many commits while one look is on its way are one look.
  HF_CHECK(store_.watch([this, alive = alive_] {
    if (wake_posted_.exchange(true)) return;
    executor_.post([this, alive] {
      if (*alive) woken();
    });
  }));
  HF_CHECK(write_own_row());
  joined_ = true;
  executor_.post([this, alive = alive_] {
    if (!*alive) return;
    executor_.after(kNodeBeat, [this, alive] {
      if (*alive) beat();
    });
    woken();  // what was written before the watch began
  });
  return {};
}

void Mailbox::join_soon() {
  if (!store_.is_shared() || left_) return;
  pool_.submit([this, alive = alive_] {
    auto joined = join();
    if (joined) return;
    log(LogLevel::warn, "mcp", "other processes cannot reach this one yet: " + joined.error().message);
    executor_.post([this, alive] {
      if (!*alive) return;
      executor_.after(kJoinAgain, [this, alive] {
        if (*alive) join_soon();
      });
    });
  });
}

void Mailbox::beat() {
  if (left_) return;
  pool_.submit([this, alive = alive_] {
    if (auto written = write_own_row(); !written)
      log(LogLevel::warn, "mcp", "other processes may think that this one has died: " + written.error().message);
    executor_.post([this, alive] {
      if (!*alive) return;
      look_into_the_box();
      executor_.after(kNodeBeat, [this, alive] {
        if (*alive) beat();
      });
    });
  });
}

void Mailbox::leave() {
  if (!store_.is_shared() || std::exchange(left_, true)) return;
  pool_.submit([this] {
    const std::lock_guard lock(join_mutex_);
    if (!joined_) return;
    if (auto erased = store_.erase(kNodeArea, store_.address()); !erased) log(LogLevel::debug, "mcp", erased.error().message);
  });
}

// ---- sending ----

Result<void> Mailbox::write_message(StateTransaction& store, std::string_view address, const JsonObject& message, Millis until) {
  HF_CHECK(store.put(kNodeMessageArea, std::string(address) + "/" + make_uuid7(), message, until));
  store.wake();
  return {};
}

void Mailbox::submit_change(StateStore::Work work, Sent sent) {
  pool_.submit([this, alive = alive_, work = std::move(work), sent = std::move(sent)]() mutable {
    auto done = store_.change(work);
    if (!sent) {
      if (!done && done.error().kind != ErrorKind::not_found)
        log(LogLevel::warn, "mcp", "another process was not told: " + done.error().message);
      return;
    }
    executor_.post([alive, done = std::move(done), sent = std::move(sent)] {
      if (*alive) sent(done);
    });
  });
}

void Mailbox::send(std::string address, std::string kind, JsonObject content, Sent sent) {
  JsonObject message{{"kind", std::move(kind)}, {"content", std::move(content)}};
  Millis until = clock_.now() + std::chrono::milliseconds(kNodeMessageLife).count();
  submit_change(
      [address = std::move(address), message = std::move(message), until](StateTransaction& store) -> Result<void> {
        HF_TRY(auto node, store.get(kNodeArea, address));
        if (!node) return fail(ErrorKind::not_found, "the process that is written to has gone");
        return write_message(store, address, message, until);
      },
      std::move(sent));
}

void Mailbox::send_to_others(std::string kind, JsonObject content, Sent sent) {
  if (!store_.is_shared()) {
    if (sent) sent({});
    return;
  }
  JsonObject message{{"kind", std::move(kind)}, {"content", std::move(content)}};
  Millis until = clock_.now() + std::chrono::milliseconds(kNodeMessageLife).count();
  // Who else is there is looked up outside of the transaction: it need not stand still, and usually nobody is.
  pool_.submit([this, alive = alive_, message = std::move(message), until, sent = std::move(sent)]() mutable {
    auto nodes = store_.list(kNodeArea, "", "", kMaxNodes);
    Result<void> done;
    if (!nodes) done = std::unexpected(nodes.error());
    if (nodes) {
      std::erase_if(*nodes, [&](const StoredState& node) { return node.key == store_.address(); });
      if (!nodes->empty())
        done = store_.change([&](StateTransaction& store) -> Result<void> {
          for (const StoredState& node : *nodes) HF_CHECK(write_message(store, node.key, message, until));
          return {};
        });
    }
    if (!done) log(LogLevel::warn, "mcp", "other processes were not told: " + done.error().message);
    if (!sent) return;
    executor_.post([alive, done = std::move(done), sent = std::move(sent)] {
      if (*alive) sent(done);
    });
  });
}

// ---- receiving ----

void Mailbox::woken() {
  wake_posted_ = false;  // before looking: what comes from now on wants another look
  ++wakes_;
  look_into_the_box();
  for (const auto& look : lookers_) look();
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    executor_.cancel(waiting.timer);
    executor_.post(std::move(waiting.look));
  }
}

void Mailbox::when_woken(std::uint64_t seen, std::chrono::milliseconds at_most, Task look) {
  // Somebody who writes much wakes often: between two looks there is a pause.
  if (seen != wakes_) {
    executor_.after(kLookPause, std::move(look));
    return;
  }
  waiting_.push_back({0, std::move(look)});
  auto place = std::prev(waiting_.end());
  place->timer = executor_.after(at_most, [this, alive = alive_, place] {
    if (!*alive) return;
    Task due = std::move(place->look);
    waiting_.erase(place);
    due();
  });
}

void Mailbox::look_into_the_box() {
  if (looking_) {
    look_again_ = true;
    return;
  }
  looking_ = true;
  pool_.submit([this, alive = alive_] {
    auto messages = store_.list(kNodeMessageArea, store_.address() + "/", "", kMaxNodeMessages);
    bool taken = messages && !messages->empty();
    if (taken) {
      auto erased = store_.change([&](StateTransaction& store) -> Result<void> {
        for (const StoredState& message : *messages) HF_CHECK(store.erase(kNodeMessageArea, message.key));
        return {};
      });
      taken = erased.has_value();  // or they are read again later
    }
    executor_.post([this, alive, messages = std::move(messages), taken] {
      if (!*alive) return;
      looking_ = false;
      bool more = std::exchange(look_again_, false) || (taken && messages->size() == kMaxNodeMessages);
      if (taken)
        for (const StoredState& message : *messages) {
          const JsonObject* fields = message.value.if_object();
          const JsonObject* content = fields ? find_object(*fields, "content") : nullptr;
          auto taker = takers_.find(fields ? find_string(*fields, "kind").value_or("") : "");
          if (content && taker != takers_.end()) taker->second(*content);
        }
      if (more) look_into_the_box();
    });
  });
}

}  // namespace holdfast::mcp
