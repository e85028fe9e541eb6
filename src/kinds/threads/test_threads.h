#pragma once

// Threads over a real store and a model that answers from a script.

#include "base/files/test_folder.h"
#include "kinds/threads/message.h"
#include "kinds/threads/threads.h"
#include "model/test_models.h"
#include "session/life/lifecycle.h"
#include "session/life/retention.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace holdfast::threads {

inline constexpr Millis kStart = 1'800'000'000'000;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message + " / " + result.error().hint);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "accepted" : std::string(result.error().word());
}

struct ThreadsTest : testing::Test {
  using Models = model::ScriptedModels;

  ThreadsTest() {
    store::OpenOptions options;
    options.clock = clock;
    options.due = session::due_rule({});
    store = must(store::open_store("sqlite:" + (folder / "store.db"), options));
    use(std::make_unique<Models>([](const model::Ask&) { return Models::reply("an answer"); }));
  }

  void use(std::unique_ptr<Models> made, std::chrono::milliseconds patience = kLeasePatience) {
    threads.reset();
    models = std::move(made);
    threads = Threads::make(*store, *models, patience);
  }
  void answer_with(Models::Answerer answerer, std::vector<std::string> names = {"scripted"}) {
    use(std::make_unique<Models>(std::move(answerer), std::move(names)));
  }
  // The answers one after another; the last stays.
  void answer_in_turn(std::vector<std::string> answers) {
    answer_with([answers, at = std::make_shared<std::size_t>(0)](const model::Ask&) {
      const std::size_t now = std::min(*at, answers.size() - 1);
      ++*at;
      return Models::reply(answers[now]);
    });
  }

  static ChatRequest saying(std::string prompt, std::string thread_id = {}) {
    ChatRequest request;
    request.prompt = std::move(prompt);
    request.thread_id = std::move(thread_id);
    return request;
  }
  ChatOutcome chat(const ChatRequest& request) { return must(threads->chat(who, request)); }
  std::vector<Message> messages(const std::string& id) { return must(threads->get(who, id, 1000, {})).messages; }
  session::SessionRecord record(const std::string& id) { return must(store->get(id)); }
  template <class Move>
  session::SessionRecord move(const std::string& id, Move change) {
    return must(store->write([&](session::Transaction& t) -> Result<session::Moved> {
             HF_TRY(auto found, t.get(id));
             return change(t, found);
           }))
        .record;
  }
  session::SessionRecord archive(const std::string& id) { return move(id, session::archive); }
  session::SessionRecord remove(const std::string& id) { return move(id, session::soft_delete); }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<session::Store> store;
  std::unique_ptr<Models> models;
  std::unique_ptr<Threads> threads;
  Who who;
};

}  // namespace holdfast::threads
