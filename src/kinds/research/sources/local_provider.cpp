#include "kinds/research/sources/providers.h"
#include "reading/html/critic_marks.h"
#include "search/query/snippet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace holdfast::research {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kShareOfTime = 10;  // an update may take one part in that many
// Passages asked of the corpus for each one wanted, because those of one document are limited.
constexpr std::size_t kPassagesForOne = 4;

class LocalProvider final : public SearchProvider {
 public:
  LocalProvider(std::unique_ptr<Corpus> corpus, session::Store* sessions, PastTranscripts transcripts)
      : corpus_(std::move(corpus)), sessions_(sessions), transcripts_(std::move(transcripts)) {}

  std::string_view name() const override { return "local"; }

  Result<std::vector<Found>> search(const SearchAsk& ask) override {
    const std::vector<std::string> words = search::query_words(ask.query);
    std::vector<Found> found;
    if (words.empty() || ask.max_results == 0) return found;
    if (corpus_) {
      HF_CHECK(bring_up_to_date(ask));
      HF_TRY(found, documents(ask, words));
    }
    if (sessions_) {
      HF_TRY(auto entries, search_patiently(ask, pace_, [&] { return search_sessions(*sessions_, transcripts_, ask, words); }));
      std::ranges::move(entries, std::back_inserter(found));
    }
    std::ranges::sort(found,
                      [](const Found& a, const Found& b) { return a.score != b.score ? a.score > b.score : a.uri < b.uri; });
    if (found.size() > ask.max_results) found.resize(ask.max_results);
    return found;
  }

  Result<void> health() override {
    if (corpus_) HF_CHECK(corpus_->update({}, {}));
    return {};
  }

  std::string left_out() const override {
    const std::lock_guard lock(mutex_);
    return left_out_;
  }

 private:
  Result<void> bring_up_to_date(const SearchAsk& ask) {
    const std::lock_guard lock(mutex_);
    const SteadyTime begun = std::chrono::steady_clock::now();
    if (begun < next_update_) return {};
    bool late = false;
    const auto stop = [&] {
      late = std::chrono::steady_clock::now() >= ask.deadline;
      return late || (ask.cancelled && ask.cancelled());
    };
    const auto updated = corpus_->update({}, stop);
    if (!updated && late) return fail(ErrorKind::timeout, "the documents could not be read in the time given");
    if (!updated) return fail(updated.error());
    left_out_ = updated->left_out.sentence();
    const SteadyTime ended = std::chrono::steady_clock::now();
    next_update_ = ended + (ended - begun) * (kShareOfTime - 1);
    return {};
  }

  Result<std::vector<Found>> documents(const SearchAsk& ask, const std::vector<std::string>& words) {
    HF_TRY(auto passages, corpus_->search(ask.query, ask.max_results * kPassagesForOne));
    std::vector<Found> found, further;
    std::map<std::string, std::size_t> of_document;
    for (Passage& passage : passages) {
      const bool one_more = ++of_document[passage.uri.substr(0, passage.uri.find('#'))] > kMaxOfOneDocument;
      Found& made = (one_more ? further : found).emplace_back();
      made.locator = passage.uri.substr(passage.uri.find('#') + 1);
      made.uri = std::move(passage.uri);
      made.title = std::move(passage.title);
      made.type = "document";
      made.snippet =
          search::snippet_of(reading::without_marks(passage.text), {words, {}}, search::SnippetForm::one_line, kSnippetCharacters)
              .text;
      made.content = std::move(passage.text);
      made.score = std::clamp(passage.share, 0.0, 1.0);
    }
    // A manual is one document: when no other has anything to say, it may say more.
    if (of_document.size() == 1) std::ranges::move(further, std::back_inserter(found));
    return found;
  }

  const std::unique_ptr<Corpus> corpus_;
  session::Store* const sessions_;
  const PastTranscripts transcripts_;
  const Pace pace_ = Pace::real();
  mutable std::mutex mutex_;
  std::string left_out_;    // guarded by mutex_
  SteadyTime next_update_;  // likewise
};

}  // namespace

std::unique_ptr<SearchProvider> make_local_provider(std::unique_ptr<Corpus> corpus, session::Store* sessions,
                                                    PastTranscripts transcripts) {
  return std::make_unique<LocalProvider>(std::move(corpus), sessions, std::move(transcripts));
}

Result<std::vector<Found>> search_patiently(const SearchAsk& ask, const Pace& pace,
                                            const std::function<Result<std::vector<Found>>()>& search) {
  for (int attempt = 0;; ++attempt) {
    auto found = search();
    if (found || found.error().kind != ErrorKind::unavailable || attempt == kStoreRetries) return found;
    if (ask.deadline != Pace::Time::max() && pace.now() + kStorePause >= ask.deadline) return found;
    if (!pace.pause(kStorePause, ask.cancelled)) return fail(ErrorKind::cancelled, "stopped while waiting for the store");
  }
}

}  // namespace holdfast::research
