#include "kinds/documents/find/search_index.h"

#include "base/text/text.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/walk.h"
#include "kinds/documents/text/view_reader.h"
#include "search/folder/index_update.h"
#include "search/query/snippet.h"

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
constexpr std::size_t kSnippetCharacters = 200;
constexpr std::size_t kMaxTitleCharacters = 200;
constexpr std::string_view kFrontMatter = "---\n";

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

std::string describe_nothing(const search::RankedQuery& query, const std::vector<std::size_t>& holding) {
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < holding.size(); ++i)
    if (holding[i] == 0) unknown.push_back(query.words[i]);
  if (!unknown.empty()) return fmt::format("No results. No document has: {}.", fmt::join(unknown, ", "));
  if (!query.phrases.empty()) return "No results. The words are there, but not as that phrase in one document.";
  return "No results. No document has all of these words; search for fewer.";
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string_view unquoted(std::string_view value) {
  value = trim(value);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

SearchIndex::SearchIndex() : state_(std::make_unique<State>()) {}
SearchIndex::~SearchIndex() = default;

Result<std::string> SearchIndex::search(Library& library, const Overlay& overlay, std::string_view query_text, std::size_t limit,
                                        const std::function<bool()>& cancelled) {
  const search::RankedQuery query = search::parse_ranked_query(query_text);
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
    if (!search::has_phrases(reader.text(), query.phrases)) continue;
    const search::Snippet snippet = search::snippet_of(reader.text(), query, search::SnippetForm::verbatim, kSnippetCharacters);
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

Title title_of(std::string_view text, std::string_view path) {
  Title title;
  const auto found = [&](std::string_view value, bool in_text) {
    title.text = shorten(value, kMaxTitleCharacters);
    title.in_text = in_text;
    return title;
  };
  std::size_t at = 0;
  if (text.starts_with(kFrontMatter) || text.starts_with("---\r\n")) {
    for (at = text.find('\n') + 1; at < text.size();) {
      const std::string_view line = first_line(text.substr(at));
      at += line.size() + 1;
      if (trim(line) == "---") break;
      if (line.starts_with("title:") && !unquoted(line.substr(6)).empty()) return found(unquoted(line.substr(6)), true);
    }
  }
  for (bool fenced = false; at < text.size();) {
    const std::string_view line = first_line(text.substr(at));
    at += line.size() + 1;
    if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
    if (!fenced && line.starts_with("# ") && !trim(line.substr(2)).empty()) return found(trim(line.substr(2)), true);
  }
  const std::string_view name = name_of_path(path);
  const std::size_t dot = name.rfind('.');
  return found(dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot), false);
}

}  // namespace holdfast::documents
