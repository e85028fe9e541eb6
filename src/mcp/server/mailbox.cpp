#include "mcp/server/mailbox.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {

namespace {
constexpr std::string_view kLetterArea = "mcp.letter";
}

Post::Post(Executor& executor, Pool& pool, const Clock& clock, StateStore& store)
    : executor_(executor), pool_(pool), clock_(clock), store_(store) {}

Post::~Post() {
  *alive_ = false;
  if (auto ended = store_.watch({}); !ended) log(LogLevel::debug, "mcp", ended.error().message);
}

// ---- being there ----

Result<void> Post::write_own_row() {
  return store_.put(kNodeArea, store_.address(), JsonObject{{"owner", store_.owner()}},
                    clock_.now() + std::chrono::milliseconds(kNodeLife).count());
}

Result<void> Post::join() {
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

void Post::join_soon() {
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

void Post::beat() {
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

void Post::leave() {
  if (!store_.is_shared() || std::exchange(left_, true)) return;
  pool_.submit([this] {
    const std::lock_guard lock(join_mutex_);
    if (!joined_) return;
    if (auto erased = store_.erase(kNodeArea, store_.address()); !erased) log(LogLevel::debug, "mcp", erased.error().message);
  });
}

// ---- sending ----

Result<void> Post::write_letter(StateTransaction& store, std::string_view address, const JsonObject& letter, Millis until) {
  HF_CHECK(store.put(kLetterArea, std::string(address) + "/" + make_uuid7(), letter, until));
  store.wake();
  return {};
}

void Post::submit_change(StateStore::Work work, Sent sent) {
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

void Post::send(std::string address, std::string kind, JsonObject content, Sent sent) {
  JsonObject letter{{"kind", std::move(kind)}, {"content", std::move(content)}};
  Millis until = clock_.now() + std::chrono::milliseconds(kLetterLife).count();
  submit_change(
      [address = std::move(address), letter = std::move(letter), until](StateTransaction& store) -> Result<void> {
        HF_TRY(auto node, store.get(kNodeArea, address));
        if (!node) return fail(ErrorKind::not_found, "the process that is written to has gone");
        return write_letter(store, address, letter, until);
      },
      std::move(sent));
}

void Post::send_to_others(std::string kind, JsonObject content, Sent sent) {
  if (!store_.is_shared()) {
    if (sent) sent({});
    return;
  }
  JsonObject letter{{"kind", std::move(kind)}, {"content", std::move(content)}};
  Millis until = clock_.now() + std::chrono::milliseconds(kLetterLife).count();
  // Who else is there is looked up outside of the transaction: it need not stand still, and usually nobody is.
  pool_.submit([this, alive = alive_, letter = std::move(letter), until, sent = std::move(sent)]() mutable {
    auto nodes = store_.list(kNodeArea, "", "", kMaxNodes);
    Result<void> done;
    if (!nodes) done = std::unexpected(nodes.error());
    if (nodes) {
      std::erase_if(*nodes, [&](const StoredState& node) { return node.key == store_.address(); });
      if (!nodes->empty())
        done = store_.change([&](StateTransaction& store) -> Result<void> {
          for (const StoredState& node : *nodes) HF_CHECK(write_letter(store, node.key, letter, until));
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

void Post::woken() {
  wake_posted_ = false;  // before looking: what comes from now on wants another look
  ++wakes_;
  look_into_the_box();
  for (const auto& look : lookers_) look();
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    executor_.cancel(waiting.timer);
    executor_.post(std::move(waiting.look));
  }
}

void Post::when_woken(std::uint64_t seen, std::chrono::milliseconds at_most, Task look) {
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

void Post::look_into_the_box() {
  if (looking_) {
    look_again_ = true;
    return;
  }
  looking_ = true;
  pool_.submit([this, alive = alive_] {
    auto letters = store_.list(kLetterArea, store_.address() + "/", "", kMaxLetters);
    bool taken = letters && !letters->empty();
    if (taken) {
      auto erased = store_.change([&](StateTransaction& store) -> Result<void> {
        for (const StoredState& letter : *letters) HF_CHECK(store.erase(kLetterArea, letter.key));
        return {};
      });
      taken = erased.has_value();  // or they are read again later
    }
    executor_.post([this, alive, letters = std::move(letters), taken] {
      if (!*alive) return;
      looking_ = false;
      bool more = std::exchange(look_again_, false) || (taken && letters->size() == kMaxLetters);
      if (taken)
        for (const StoredState& letter : *letters) {
          const JsonObject* fields = letter.value.if_object();
          const JsonObject* content = fields ? find_object(*fields, "content") : nullptr;
          auto taker = takers_.find(fields ? find_string(*fields, "kind").value_or("") : "");
          if (content && taker != takers_.end()) taker->second(*content);
        }
      if (more) look_into_the_box();
    });
  });
}

}  // namespace holdfast::mcp
