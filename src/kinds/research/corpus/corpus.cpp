#include "kinds/research/corpus/corpus.h"

#include "base/files/folder_walk.h"
#include "base/files/path_below.h"
#include "base/json/json.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/research/corpus/corpus_cache.h"
#include "kinds/research/text/document_text.h"
#include "kinds/research/text/question_words.h"
#include "search/folder/index_update.h"
#include "search/query/ranked_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

// What programs made or fetched, and what they keep for themselves.
const std::vector<std::string> kBuiltIn = {
    ".git/",    ".hg/",          ".svn/",        ".cache/",          ".venv/",         "venv/",
    ".tox/",    "node_modules/", "__pycache__/", ".mypy_cache/",     ".pytest_cache/", ".next/",
    "build/",   "dist/",         "target/",      "cmake-build-*/",   ".gradle/",       ".terraform/",
    "*.min.js", "*.min.css",     "*.map",        "package-lock.json"};

// Index and memory follow the bytes of text (docs/benchmarks.md): about a quarter of it.
constexpr std::uint64_t kMaxWalkBytes = 2ULL << 30;

struct Walked {
  std::vector<FoundFile> files;
  LeftOut skipped;  // too long, beyond the limits, or not to be opened
};

// The files below a root that may be documents, in the order of the bytes of their paths. Left out is also what the globs of the
// settings exclude, whatever a .gitignore says.
Result<Walked> walk_root(const Fd& root, const std::vector<std::string>& ignore, const std::function<bool()>& cancelled) {
  FolderWalkOptions options;
  options.weak_rules = kBuiltIn;
  options.strong_rules = ignore;
  options.cancelled = cancelled;
  HF_TRY(FoundFiles found, walk_folder(root, options));
  Walked walked;
  for (const std::string& folder : found.unreadable) walked.skipped.add(folder + "/", "the folder cannot be opened");
  if (!found.complete) walked.skipped.add("more", fmt::format("beyond {} files", kMaxWalkFiles));
  // In the order of their paths: which files are left out must not depend on the order in which a disk lists them.
  std::uint64_t bytes = 0;
  for (FoundFile& file : found.files) {
    if (file.size > kMaxFileBytes)
      walked.skipped.add(file.path, fmt::format("longer than {} MiB", kMaxFileBytes >> 20));
    else if ((bytes += file.size) > kMaxWalkBytes)
      walked.skipped.add(file.path, fmt::format("beyond {} MiB of documents", kMaxWalkBytes >> 20));
    else
      walked.files.push_back(std::move(file));
  }
  return walked;
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
  Texts(const search::ChunkIndex& index, const std::vector<Fd>& folders) : index_(index), folders_(folders), hash_(index.seed) {}

  std::string of(const search::IndexedChunk& chunk) {  // empty when it cannot be read, or is not any more what was indexed
    const search::IndexedFile& file = index_.files[chunk.file];
    const search::ChunkPlace& place = chunk.place;
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
  const search::ChunkIndex& index_;
  const std::vector<Fd>& folders_;
  const ByteHash hash_;
  std::map<std::uint32_t, std::string> reduced_;
};

// The text of a document as the index takes it.
search::FolderText text_of(const std::string& path, std::string bytes) {
  DocumentText document = document_text(path, std::move(bytes));
  search::FolderText made;
  made.digest = document.digest;
  made.chunks = search::cut_chunks(document.text);
  for (search::ChunkPlace& place : made.chunks) {
    place.first_line = document.source_line(place.first_line);
    place.last_line = document.source_line(place.last_line);
  }
  made.text = std::move(document.text);
  made.title = made.chunks.empty() ? std::move(document.skipped) : std::move(document.title);
  return made;
}

class IndexedCorpus final : public Corpus {
 public:
  IndexedCorpus(std::vector<CorpusRoot> roots, const std::string& cache_folder) : roots_(std::move(roots)) {
    if (!cache_folder.empty()) cache_.emplace(cache_folder, description_of(roots_), static_cast<std::uint32_t>(roots_.size()));
  }

  Result<CorpusUpdate> update(const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
                              const std::function<bool()>& cancelled) override {
    const std::lock_guard one_at_a_time(update_mutex_);
    HF_TRY(const std::vector<Fd> folders, open_roots(roots_));
    std::shared_ptr<const search::ChunkIndex> old = index();
    if (!old) old = first_index();
    CorpusUpdate counts;
    std::vector<LeftOut> left_out;  // of each root
    std::vector<search::FolderFile> files;
    for (std::uint32_t root = 0; root < roots_.size(); ++root) {
      HF_TRY(Walked walked, walk_root(folders[root], roots_[root].ignore, cancelled));
      for (FoundFile& file : walked.files) files.push_back({root, std::move(file.path), file.size, file.modified_ns});
      counts.skipped += walked.skipped.count();
      left_out.push_back(std::move(walked.skipped));
    }
    search::IndexUpdate how;
    how.make_reader = [&]() -> search::IndexUpdate::Read {
      return [&](std::size_t file) -> Result<search::FolderText> {
        HF_TRY(std::string bytes, read_document(folders[files[file].root], files[file].path));
        return text_of(files[file].path, std::move(bytes));
      };
    };
    how.doubted = [reads_pdf = has_pdftotext()](std::size_t, const search::IndexedFile& before) {
      return reads_pdf && before.chunk_count == 0 && before.title == kNoPdfReader;
    };
    how.on_progress = on_progress;
    how.cancelled = cancelled;
    HF_TRY(search::UpdateOutcome outcome, search::update_index(*old, files, how));
    if (outcome.index) old = std::move(outcome.index);
    set_index(old);

    counts.read = outcome.read;
    counts.indexed = outcome.indexed;
    counts.skipped += outcome.gone.size();
    for (const std::size_t gone : outcome.gone) left_out[files[gone].root].add(files[gone].path, "it cannot be opened");
    for (const search::IndexedFile& file : old->files) {
      if (file.chunk_count != 0) {
        ++counts.files;
        counts.bytes += file.size;
        continue;
      }
      ++counts.skipped;
      if (!file.title.empty()) left_out[file.root].add(file.path, file.title);
    }
    for (std::size_t i = 0; i < roots_.size(); ++i) counts.left_out.add(roots_[i].name, left_out[i]);
    unsaved_bytes_ += outcome.indexed_bytes;
    if (cache_ && (outcome.lost_text || unsaved_bytes_ * kWorthSaving > counts.bytes)) save(*old);
    return counts;
  }

  Result<std::vector<Passage>> search(std::string_view query, std::size_t limit) override {
    if (!index()) HF_CHECK(update({}, {}));
    const std::shared_ptr<const search::ChunkIndex> index = this->index();
    HF_TRY(const std::vector<Fd> folders, open_roots(roots_));
    std::vector<Passage> passages;
    Texts texts(*index, folders);
    const std::vector<std::string> words = search::query_words(query);
    for (const search::ScoredChunk& scored : index->search(words, limit + kSpare, further_words(words))) {
      if (passages.size() == limit) break;
      auto passage = passage_of(*index, scored, texts);
      // The pieces of one endless line share an address; the best of them stands for it.
      if (passage && std::ranges::find(passages, passage->uri, &Passage::uri) == passages.end())
        passages.push_back(*std::move(passage));
    }
    return passages;
  }

 private:
  std::shared_ptr<const search::ChunkIndex> index() const {
    const std::lock_guard lock(index_mutex_);
    return index_;
  }
  void set_index(std::shared_ptr<const search::ChunkIndex> index) {
    const std::lock_guard lock(index_mutex_);
    index_ = std::move(index);
  }

  std::shared_ptr<const search::ChunkIndex> first_index() const {
    auto index = std::make_shared<search::ChunkIndex>();
    if (auto cached = cache_ ? cache_->load() : std::nullopt) *index = *std::move(cached);
    return index;
  }

  // Only makes the next start slower when it fails.
  void save(const search::ChunkIndex& index) {
    unsaved_bytes_ = 0;
    if (const auto saved = cache_->save(index); !saved)
      log(LogLevel::warn, "corpus", "the index of the documents is not kept: " + saved.error().message);
  }

  std::optional<Passage> passage_of(const search::ChunkIndex& index, const search::ScoredChunk& scored, Texts& texts) const {
    const search::IndexedChunk& chunk = index.chunks[scored.chunk];
    const search::IndexedFile& file = index.files[chunk.file];
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
  std::shared_ptr<const search::ChunkIndex> index_;  // guarded by index_mutex_; null before the first update
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

void LeftOut::add(const std::string& path, const std::string& why, std::size_t count) {
  count_ += count;
  named_.emplace(path, why);
  if (named_.size() > kNamed) named_.erase(std::prev(named_.end()));
}

void LeftOut::add(const std::string& folder, const LeftOut& others) {
  for (const auto& [path, why] : others.named_) add(folder + "/" + path, why, 0);
  count_ += others.count_;
}

std::string LeftOut::sentence() const {
  if (count_ == 0) return {};
  std::string text =
      fmt::format("{} of the documents' folders {} left out: ", count_ == 1 ? "1 file" : fmt::format("{} files", count_),
                  count_ == 1 ? "is" : "are");
  std::size_t shown = 0;
  for (const auto& [path, why] : named_) text += fmt::format("{}{} ({})", shown++ == 0 ? "" : "; ", to_valid_utf8(path), why);
  if (count_ > shown) text += fmt::format("; and {} more", count_ - shown);
  return text;
}

}  // namespace holdfast::research
