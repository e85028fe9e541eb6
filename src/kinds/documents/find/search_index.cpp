#include "kinds/documents/find/search_index.h"

#include "base/crypto/byte_hash.h"
#include "kinds/documents/files/stamped_files.h"
#include "kinds/documents/find/query.h"
#include "search/words/bm25.h"
#include "search/words/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace holdfast::documents {

// Outside of the anonymous namespace: SearchIndex::State has linkage and holds them.

// How often a word occurs. A word is known by half of its hash: that two words of one document fall together is so rare, and
// every document shown is read again anyway.
struct WordCount {
  std::uint32_t word = 0, count = 0;
};

// Sorted by word. When there is no room only the words of the question are in it.
struct IndexedDocument {
  bool is_text = false;
  std::uint32_t length = 0;
  std::vector<WordCount> words;
  std::string title;

  std::uint32_t count_of(std::uint32_t word) const {
    const auto found = std::ranges::lower_bound(words, word, {}, &WordCount::word);
    return found == words.end() || found->word != word ? 0 : found->count;
  }
};

namespace {

// 8 bytes each: a quarter of a gigabyte. Documents beyond are read again for every question.
constexpr std::size_t kMaxKeptWords = 32 * 1024 * 1024;
constexpr std::size_t kMaxIndexedBytes = 4 * 1024 * 1024;  // of one document; its start tells what it is about
constexpr std::size_t kMaxHits = 100;

class HashSink final : public search::WordSink {
 public:
  explicit HashSink(const ByteHash& hash) : hash_(hash) {}
  void word(std::string_view folded) override { hashes.push_back(static_cast<std::uint32_t>(hash_(folded))); }
  std::vector<std::uint32_t> hashes;

 private:
  const ByteHash& hash_;
};

struct Hit {
  double score = 0;
  std::size_t file = 0;
};

}  // namespace

struct SearchIndex::State {
  std::mutex mutex;
  const ByteHash hash{ByteHash::random_seed()};
  StampedFiles<IndexedDocument> files;
  std::atomic<std::size_t> kept_words{0};

  StampedFiles<IndexedDocument>::Pointer index(ViewReader& reader, const WalkedFile& file,
                                               const std::vector<std::uint32_t>& asked, bool& keep) {
    auto made = std::make_shared<IndexedDocument>();
    if (reader.read(file.place, View::accepted) != ViewReader::Outcome::text) return made;
    made->is_text = true;
    const std::string_view text = reader.text().substr(0, kMaxIndexedBytes);
    Title title = title_of(text, file.place.path);
    HashSink sink(hash);
    search::scan_words(text, sink);
    made->length = static_cast<std::uint32_t>(sink.hashes.size());
    // A title counts twice: once more than it stands there.
    search::scan_words(title.text, sink);
    if (!title.in_text) search::scan_words(title.text, sink);
    made->title = std::move(title.text);
    std::ranges::sort(sink.hashes);
    for (std::size_t i = 0, end = 0; i < sink.hashes.size(); i = end) {
      while (end < sink.hashes.size() && sink.hashes[end] == sink.hashes[i]) ++end;
      made->words.push_back({sink.hashes[i], static_cast<std::uint32_t>(end - i)});
    }
    if ((kept_words += made->words.size()) > kMaxKeptWords) {
      kept_words -= made->words.size();
      keep = false;
      std::erase_if(made->words, [&](const WordCount& each) { return std::ranges::find(asked, each.word) == asked.end(); });
    }
    made->words.shrink_to_fit();
    return made;
  }

  // What is kept of files that are gone or changed does not count any more.
  void count_kept(const std::vector<StampedFiles<IndexedDocument>::Pointer>& known) {
    std::size_t words = 0;
    for (const auto& document : known) words += document ? document->words.size() : 0;
    kept_words = words;
  }
};

SearchIndex::SearchIndex() : state_(std::make_unique<State>()) {}
SearchIndex::~SearchIndex() = default;

namespace {

using Documents = std::vector<std::shared_ptr<const IndexedDocument>>;

// Documents that have all the words, best first; equal ones by path. Holding: how many have each word.
std::vector<Hit> rank(const Documents& documents, const std::vector<std::uint32_t>& words, std::vector<std::size_t>& holding) {
  double texts = 0, total_length = 0;
  holding.assign(words.size(), 0);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (!documents[i] || !documents[i]->is_text) continue;
    ++texts;
    total_length += documents[i]->length;
    std::size_t has = 0;
    for (std::size_t word = 0; word < words.size(); ++word)
      if (documents[i]->count_of(words[word]) > 0) ++has, ++holding[word];
    if (has == words.size()) candidates.push_back(i);
  }
  std::vector<Hit> hits;
  for (const std::size_t i : candidates) {
    const double norm = search::length_norm(documents[i]->length, total_length / texts);
    double score = 0;
    for (std::size_t word = 0; word < words.size(); ++word)
      score += search::word_weight(texts, static_cast<double>(holding[word])) *
               search::term_score(documents[i]->count_of(words[word]), norm);
    hits.push_back({score, i});
  }
  std::ranges::sort(hits, [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.file < b.file; });
  return hits;
}

std::string describe_nothing(const Query& query, const std::vector<std::size_t>& holding) {
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < holding.size(); ++i)
    if (holding[i] == 0) unknown.push_back(query.words[i]);
  if (!unknown.empty()) return fmt::format("No results. No document has: {}.", fmt::join(unknown, ", "));
  if (!query.phrases.empty()) return "No results. The words are there, but not as that phrase in one document.";
  return "No results. No document has all of these words; search for fewer.";
}

}  // namespace

Result<std::string> SearchIndex::search(Library& library, const Overlay& overlay, std::string_view query_text, std::size_t limit,
                                        const std::function<bool()>& cancelled) {
  const Query query = parse_query(query_text);
  if (query.words.empty()) return std::string("No results.");
  std::vector<std::uint32_t> words;
  for (const std::string& word : query.words) words.push_back(static_cast<std::uint32_t>(state_->hash(word)));

  WalkOptions walking;
  walking.cancelled = cancelled;
  HF_TRY(const std::vector<WalkedFile> files, walk(library, walking));
  Documents documents;
  {
    std::lock_guard lock(state_->mutex);
    const auto index = [&](ViewReader& reader, const WalkedFile& file, bool& keep) {
      return state_->index(reader, file, words, keep);
    };
    HF_TRY(auto updated, state_->files.update(library, overlay, files, index, cancelled));
    documents = std::move(updated.known);
    state_->count_kept(documents);
  }

  std::vector<std::size_t> holding;
  const std::vector<Hit> hits = rank(documents, words, holding);
  limit = std::clamp<std::size_t>(limit, 1, kMaxHits);
  std::string text;
  std::size_t shown = 0, looked_at = 0;
  ViewReader reader(library, overlay);
  for (const Hit& hit : hits) {
    if (shown == limit) break;
    if (cancelled && cancelled()) return fail(ErrorKind::cancelled, "stopped while searching");
    ++looked_at;
    const Place& place = files[hit.file].place;
    if (reader.read(place, View::accepted) != ViewReader::Outcome::text) continue;
    if (!has_phrases(reader.text(), query.phrases)) continue;
    const Snippet snippet = snippet_of(reader.text(), query);
    fmt::format_to(std::back_inserter(text), "{}{}:{}: {}\n{}\n", shown > 0 ? "\n" : "", place.path, snippet.line,
                   documents[hit.file]->title, snippet.text);
    ++shown;
  }
  if (shown == 0) return describe_nothing(query, holding);
  if (const std::size_t left = hits.size() - looked_at; left > 0)
    fmt::format_to(std::back_inserter(text), "\n[{} documents shown, {} more {} all the words; raise limit or add words]\n",
                   shown, left, left == 1 ? "has" : "have");
  text.pop_back();
  return text;
}

}  // namespace holdfast::documents
