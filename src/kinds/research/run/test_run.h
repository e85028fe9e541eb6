#pragma once

// For tests of this room: a real store in a folder of its own, and research over scripted providers and models.

#include "base/files/test_folder.h"
#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"
#include "kinds/research/sources/test_providers.h"
#include "model/test_models.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace holdfast::research {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message + " / " + result.error().hint);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct RunTest : testing::Test {
  RunTest() {
    store::OpenOptions options;
    options.clock = clock;
    store = must(store::open_store("sqlite:" + (folder / "store.db"), options));
  }

  Research research() {
    Tools tools{*store,
                *models,
                [this](const session::SessionRecord&, const std::vector<std::string>&) -> Result<Providers> {
                  Providers providers;
                  for (const auto& [name, answerer] : answerers)
                    providers.push_back(std::make_unique<ScriptedProvider>(name, answerer, log));
                  return providers;
                },
                fetcher,
                audit,
                300'000,
                clock.get()};
    return Research(std::move(tools));
  }

  void answer(std::string name, ScriptedProvider::Answerer answerer) {
    answerers.emplace_back(std::move(name), std::move(answerer));
  }
  void answer(std::vector<Found> found) {
    answer("local", [found](const SearchAsk&) -> Result<std::vector<Found>> { return found; });
  }

  std::string start(std::string query, JsonObject limits = {}) {
    StartRequest request;
    request.query = std::move(query);
    request.limits = std::move(limits);
    return must(research().start(request)).id;
  }
  session::SessionRecord work(const std::string& id, const WorkOptions& options = {}) {
    return must(research().work(id, options)).record;
  }
  session::SessionRecord run(std::string query, JsonObject limits = {}) {
    return work(start(std::move(query), std::move(limits)));
  }
  session::SessionRecord get(const std::string& id) { return must(store->get(id)); }
  RunState state(const std::string& id) { return must(read_state(*store, id)); }
  JsonObject report(const std::string& id) { return must(research().report("local", id)); }
  std::string report_text(const std::string& id) {
    const JsonObject reply = report(id);
    return std::string(find_string(reply, "report").value());
  }
  JsonObject status(const std::string& id) { return must(research().status("local", id)); }
  // Changes the record as another process would.
  session::SessionRecord change(const std::string& id, const std::function<void(session::SessionRecord&)>& function) {
    return must(store->write([&](session::Transaction& transaction) -> Result<session::SessionRecord> {
      HF_TRY(session::SessionRecord record, transaction.get(id));
      function(record);
      return transaction.update(std::move(record), session::Touch::change);
    }));
  }
  static std::string error_code(const session::SessionRecord& record) {
    const JsonObject* error = find_object(record.data, "error");
    return error ? std::string(find_string(*error, "code").value_or("")) : "";
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<session::Store> store;
  std::shared_ptr<SearchLog> log = std::make_shared<SearchLog>();
  std::vector<std::pair<std::string, ScriptedProvider::Answerer>> answerers;
  std::unique_ptr<model::ScriptedModels> models = std::make_unique<model::ScriptedModels>();
  ScriptedFetcher fetcher;
  std::string audit = "minimal";
};

}  // namespace holdfast::research
