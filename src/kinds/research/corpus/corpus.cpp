#include "kinds/research/corpus/corpus.h"

#include "base/files/path_below.h"
#include "base/json/json.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/research/corpus/corpus_cache.h"
#include "kinds/research/corpus/corpus_update.h"
#include "kinds/research/text/document_text.h"
#include "kinds/research/text/stems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace holdfast::research {
namespace {

// An index is written when at least this part of it is new; less is quicker read again than written. It is also written when a
// text has gone from the documents: it must not remain in the cache.
constexpr std::uint64_t kWorthSaving = 50;  // a fiftieth

// Found chunks looked at beyond those asked for, because the file of one may have changed since.
constexpr std::size_t kSpare = 20;

// What an index was made of, for its cache.
std::string description_of(const std::vector<CorpusRoot>& roots) {
  JsonArray all;
  for (const CorpusRoot& root : roots) {
    JsonArray ignore;
    for (const std::string& glob : root.ignore) ignore.emplace_back(glob);
    all.push_back(JsonArray{root.name, root.folder, std::move(ignore)});
  }
  return to_json(Json(std::move(all)));
}

// The path in a URI: each name encoded, the slashes not.
std::string encode_path(std::string_view path) {
  std::string encoded;
  for (;;) {
    const std::size_t slash = path.find('/');
    encoded += percent_encode(path.substr(0, slash));
    if (slash == path.npos) return encoded;
    encoded += '/';
    path.remove_prefix(slash + 1);
  }
}

// Anew for every use: a folder may have been replaced by another of its name.
Result<std::vector<Fd>> open_roots(const std::vector<CorpusRoot>& roots) {
  std::vector<Fd> folders;
  for (const CorpusRoot& root : roots) {
    auto folder = open_folder(root.folder);
    if (!folder) return fail(ErrorKind::io, fmt::format("documents of \"{}\": {}", root.name, folder.error().message));
    folders.push_back(*std::move(folder));
  }
  return folders;
}

// The texts of what one search found, as they are now: of a plain file the part that is wanted; of those whose text is made from
// their bytes the whole, once.
class Texts {
 public:
  Texts(const CorpusIndex& index, const std::vector<Fd>& folders) : index_(index), folders_(folders), hash_(index.seed) {}

  std::string of(const IndexedChunk& chunk) {  // empty when it cannot be read, or is not any more what was indexed
    const IndexedFile& file = index_.files[chunk.file];
    const ChunkPlace& place = chunk.place;
    if (!is_reduced(file.path)) {
      std::string piece = read_part(folders_[file.root], file.path, place.offset, place.length).value_or("");
      if (hash_(piece) == chunk.check) return piece;
    }
    const auto [known, is_new] = reduced_.try_emplace(chunk.file);
    if (is_new) {
      if (auto bytes = read_document(folders_[file.root], file.path))
        known->second = document_text(file.path, *std::move(bytes)).text;
    }
    const std::string_view text = known->second;
    const std::string_view piece = text.substr(std::min<std::size_t>(place.offset, text.size()), place.length);
    return hash_(piece) == chunk.check ? std::string(piece) : std::string();
  }

 private:
  const CorpusIndex& index_;
  const std::vector<Fd>& folders_;
  const ByteHash hash_;
  std::map<std::uint32_t, std::string> reduced_;
};

class IndexedCorpus final : public Corpus {
 public:
  IndexedCorpus(std::vector<CorpusRoot> roots, const std::string& cache_folder) : roots_(std::move(roots)) {
    if (!cache_folder.empty()) cache_.emplace(cache_folder, description_of(roots_), static_cast<std::uint32_t>(roots_.size()));
  }

  Result<CorpusUpdate> update(const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
                              const std::function<bool()>& cancelled) override {
    const std::lock_guard one_at_a_time(update_mutex_);
    HF_TRY(const std::vector<Fd> folders, open_roots(roots_));
    std::shared_ptr<const CorpusIndex> old = index();
    if (!old) old = first_index();
    std::vector<Walked> walked;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      HF_TRY(Walked found, walk(folders[i], roots_[i].ignore, cancelled));
      walked.push_back(std::move(found));
    }
    HF_TRY(UpdateOutcome outcome, update_index(*old, folders, walked, {on_progress, cancelled}));
    if (outcome.index) old = std::move(outcome.index);
    set_index(old);
    for (std::size_t i = 0; i < roots_.size(); ++i) outcome.counts.left_out.add(roots_[i].name, outcome.left_out[i]);
    unsaved_bytes_ += outcome.indexed_bytes;
    if (cache_ && (outcome.lost_text || unsaved_bytes_ * kWorthSaving > outcome.counts.bytes)) save(*old);
    return outcome.counts;
  }

  Result<std::vector<Passage>> search(std::string_view query, std::size_t limit) override {
    if (!index()) HF_CHECK(update({}, {}));
    const std::shared_ptr<const CorpusIndex> index = this->index();
    HF_TRY(const std::vector<Fd> folders, open_roots(roots_));
    std::vector<Passage> passages;
    Texts texts(*index, folders);
    const std::vector<std::string> words = query_words(query);
    for (const ScoredChunk& scored : index->search(words, limit + kSpare, further_words(words))) {
      if (passages.size() == limit) break;
      auto passage = passage_of(*index, scored, texts);
      // The pieces of one endless line share an address; the best of them stands for it.
      if (passage && std::ranges::find(passages, passage->uri, &Passage::uri) == passages.end())
        passages.push_back(*std::move(passage));
    }
    return passages;
  }

 private:
  std::shared_ptr<const CorpusIndex> index() const {
    const std::lock_guard lock(index_mutex_);
    return index_;
  }
  void set_index(std::shared_ptr<const CorpusIndex> index) {
    const std::lock_guard lock(index_mutex_);
    index_ = std::move(index);
  }

  std::shared_ptr<const CorpusIndex> first_index() const {
    auto index = std::make_shared<CorpusIndex>();
    if (auto cached = cache_ ? cache_->load() : std::nullopt)
      *index = *std::move(cached);
    else
      index->seed = ByteHash::random_seed();
    return index;
  }

  // Only makes the next start slower when it fails.
  void save(const CorpusIndex& index) {
    unsaved_bytes_ = 0;
    if (const auto saved = cache_->save(index); !saved)
      log(LogLevel::warn, "corpus", "the index of the documents is not kept: " + saved.error().message);
  }

  std::optional<Passage> passage_of(const CorpusIndex& index, const ScoredChunk& scored, Texts& texts) const {
    const IndexedChunk& chunk = index.chunks[scored.chunk];
    const IndexedFile& file = index.files[chunk.file];
    const std::string piece = texts.of(chunk);
    if (piece.empty()) return {};

    Passage passage;
    passage.path = to_valid_utf8(file.path);
    passage.first_line = chunk.place.first_line;
    passage.last_line = chunk.place.last_line;
    const std::string lines = fmt::format("L{}-L{}", passage.first_line, passage.last_line);
    passage.uri = fmt::format("corpus://{}/{}#{}", percent_encode(roots_[file.root].name), encode_path(file.path), lines);
    passage.title = file.title.empty() ? fmt::format("{} {}", passage.path, lines)
                                       : fmt::format("{} ({} {})", file.title, passage.path, lines);
    passage.text = to_valid_utf8(piece);
    passage.score = scored.score;
    passage.share = scored.share;
    return passage;
  }

  const std::vector<CorpusRoot> roots_;
  std::optional<CorpusCache> cache_;

  std::mutex update_mutex_;
  std::uint64_t unsaved_bytes_ = 0;  // guarded by update_mutex_
  mutable std::mutex index_mutex_;
  std::shared_ptr<const CorpusIndex> index_;  // guarded by index_mutex_; null before the first update
};

}  // namespace

Result<std::unique_ptr<Corpus>> Corpus::open(std::vector<CorpusRoot> roots, std::string cache_folder) {
  std::ranges::sort(roots, {}, &CorpusRoot::name);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].name.empty() || (i != 0 && roots[i].name == roots[i - 1].name))
      return fail(ErrorKind::invalid, fmt::format("two folders of documents are called \"{}\"", roots[i].name),
                  "give each folder its own name");
  }
  HF_CHECK(open_roots(roots));
  return std::make_unique<IndexedCorpus>(std::move(roots), cache_folder);
}

}  // namespace holdfast::research
