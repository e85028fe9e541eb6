#pragma once

// For tests of this room: providers and fetchers that answer from a script.

#include "kinds/research/sources/fetch.h"
#include "kinds/research/sources/search_provider.h"

#include <functional>
#include <map>
#include <mutex>

namespace holdfast::research {

// What scripted providers were asked, over all of them.
struct SearchLog {
  std::mutex mutex;
  std::vector<std::string> asked;  // "name: query"
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex);
    return asked;
  }
};

class ScriptedProvider final : public SearchProvider {
 public:
  using Answerer = std::function<Result<std::vector<Found>>(const SearchAsk&)>;
  ScriptedProvider(std::string name, Answerer answerer, std::shared_ptr<SearchLog> log = nullptr)
      : name_(std::move(name)), answerer_(std::move(answerer)), log_(std::move(log)) {}

  std::string_view name() const override { return name_; }
  Result<std::vector<Found>> search(const SearchAsk& ask) override {
    if (log_) {
      const std::lock_guard lock(log_->mutex);
      log_->asked.push_back(name_ + ": " + ask.query);
    }
    return answerer_(ask);
  }
  Result<void> health() override { return {}; }

 private:
  std::string name_;
  Answerer answerer_;
  std::shared_ptr<SearchLog> log_;
};

inline Found document(std::string uri, std::string title, std::string content) {
  Found found;
  found.uri = std::move(uri);
  found.title = std::move(title);
  found.type = "document";
  found.content = std::move(content);
  found.snippet = found.content.substr(0, 80);
  found.score = 0.5;
  return found;
}

inline Found web_page(std::string uri, std::string title, std::string snippet) {
  Found found;
  found.uri = std::move(uri);
  found.title = std::move(title);
  found.type = "web";
  found.snippet = std::move(snippet);
  found.score = 0.5;
  return found;
}

class ScriptedFetcher final : public Fetcher {
 public:
  std::map<std::string, std::string> pages;  // by address; what is missing cannot be reached

  Result<Fetched> fetch(std::string_view uri, std::chrono::milliseconds, const std::function<bool()>&) override {
    const std::lock_guard lock(mutex_);
    fetched_.emplace_back(uri);
    const auto place = pages.find(std::string(uri));
    if (place == pages.end()) return fail(ErrorKind::unavailable, "no such page");
    return Fetched{std::string(uri), "a page", place->second};
  }
  std::vector<std::string> fetched() {
    const std::lock_guard lock(mutex_);
    return fetched_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> fetched_;
};

}  // namespace holdfast::research
