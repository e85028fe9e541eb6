#include "kinds/documents/find/search_index.h"

#include "kinds/documents/files/walk.h"
#include "kinds/documents/find/query.h"
#include "kinds/documents/text/view_reader.h"
#include "search/folder/index_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace holdfast::documents {

struct SearchIndex::State {
  std::mutex mutex;
  std::shared_ptr<const search::ChunkIndex> index = std::make_shared<search::ChunkIndex>();
};

namespace {

constexpr std::size_t kMaxIndexedBytes = 4 * 1024 * 1024;  // of one document; its start tells what it is about
// Of all documents: the index takes about a quarter of it.
constexpr std::uint64_t kMaxLibraryBytes = 2ULL << 30;
constexpr std::size_t kMaxHits = 100;

// A document is one chunk. What is no text has none, nor has one that is gone: so every file is in the index.
search::FolderText text_of(ViewReader& reader, const Place& place, bool proposed) {
  search::FolderText made;
  made.lasting = !proposed;
  if (reader.read(place, View::accepted) != ViewReader::Outcome::text) return made;
  made.text = reader.text().substr(0, kMaxIndexedBytes);
  made.digest = sha256(made.text);
  made.chunks = {{0, static_cast<std::uint32_t>(made.text.size()), 1, 1}};
  Title title = title_of(made.text, place.path);
  // A title counts twice: once more than it stands there.
  made.also = title.in_text ? title.text : title.text + '\n' + title.text;
  made.title = std::move(title.text);
  return made;
}

// Those that fit, by their paths as they are shown. Returns how many do not.
std::size_t take_files(std::vector<WalkedFile>& walked, std::vector<search::FolderFile>& files) {
  std::uint64_t bytes = 0;
  for (const WalkedFile& file : walked) {
    bytes += std::min<std::uint64_t>(file.size, kMaxIndexedBytes);
    if (bytes > kMaxLibraryBytes) break;
    files.push_back({0, file.place.path, file.size, file.modified_ns});
  }
  const std::size_t left = walked.size() - files.size();
  walked.resize(files.size());
  return left;
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

SearchIndex::SearchIndex() : state_(std::make_unique<State>()) {}
SearchIndex::~SearchIndex() = default;

Result<std::string> SearchIndex::search(Library& library, const Overlay& overlay, std::string_view query_text, std::size_t limit,
                                        const std::function<bool()>& cancelled) {
  const Query query = parse_query(query_text);
  if (query.words.empty()) return std::string("No results.");

  WalkOptions walking;
  walking.cancelled = cancelled;
  HF_TRY(std::vector<WalkedFile> walked, walk(library, walking));
  std::vector<search::FolderFile> files;
  const std::size_t beyond = take_files(walked, files);
  // A proposal changes what is read, but not the file.
  const auto may_be_proposed = [&](std::size_t file) {
    return !walked[file].place.reviewed && overlay.may_propose(walked[file].place.key);
  };
  search::IndexUpdate how;
  how.make_reader = [&]() -> search::IndexUpdate::Read {
    return [&, reader = std::make_shared<ViewReader>(library, overlay)](std::size_t file) -> Result<search::FolderText> {
      return text_of(*reader, walked[file].place, may_be_proposed(file));
    };
  };
  how.doubted = [&](std::size_t file, const search::IndexedFile&) { return may_be_proposed(file); };
  how.cancelled = cancelled;
  std::shared_ptr<const search::ChunkIndex> index;
  {
    std::lock_guard lock(state_->mutex);
    HF_TRY(search::UpdateOutcome updated, search::update_index(*state_->index, files, how));
    if (updated.index) state_->index = std::move(updated.index);
    index = state_->index;
  }

  std::vector<std::size_t> holding;
  const std::vector<search::ScoredChunk> hits = index->search_all(query.words, holding);
  limit = std::clamp<std::size_t>(limit, 1, kMaxHits);
  std::string text;
  std::size_t shown = 0, looked_at = 0;
  ViewReader reader(library, overlay);
  for (const search::ScoredChunk& hit : hits) {
    if (shown == limit) break;
    if (cancelled && cancelled()) return fail(ErrorKind::cancelled, "stopped while searching");
    ++looked_at;
    const std::uint32_t file = index->chunks[hit.chunk].file;
    const Place& place = walked[file].place;
    if (reader.read(place, View::accepted) != ViewReader::Outcome::text) continue;
    if (!has_phrases(reader.text(), query.phrases)) continue;
    const Snippet snippet = snippet_of(reader.text(), query);
    fmt::format_to(std::back_inserter(text), "{}{}:{}: {}\n{}\n", shown > 0 ? "\n" : "", place.path, snippet.line,
                   index->files[file].title, snippet.text);
    ++shown;
  }
  if (shown == 0) text = describe_nothing(query, holding) + '\n';
  if (const std::size_t left = hits.size() - looked_at; shown > 0 && left > 0)
    fmt::format_to(std::back_inserter(text), "\n[{} documents shown, {} more {} all the words; raise limit or add words]\n",
                   shown, left, left == 1 ? "has" : "have");
  if (beyond > 0)
    fmt::format_to(std::back_inserter(text), "\n[{} documents are not searched: those before them have {} MiB; use grep]\n",
                   beyond, kMaxLibraryBytes >> 20);
  text.pop_back();
  return text;
}

}  // namespace holdfast::documents
