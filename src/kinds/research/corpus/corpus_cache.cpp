#include "kinds/research/corpus/corpus_cache.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <type_traits>

namespace holdfast::research {
namespace {

constexpr std::string_view kMagic = "holdfast corpus index 4\n";
constexpr std::string_view kName = "corpus-", kEnding = ".index";
constexpr std::size_t kMaxCacheBytes = 4ULL << 30;
constexpr std::size_t kMaxPathBytes = 4096;  // as of Linux
constexpr std::size_t kMaxCachedTitleBytes = 4096;
// Of a private file, against accidents: it need not withstand somebody who computes it anew, the checks below do.
constexpr ByteHash::Seed kChecksumSeed{0x686F6C6466617374, 0x696E646578};

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_trivially_copyable_v<Number>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view bytes) {
    number<std::uint64_t>(bytes.size());
    out += bytes;
  }
  void numbers(const std::vector<std::uint64_t>& values) {
    text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint64_t)});
  }

  std::string out;
};

// After the first thing that does not fit, everything read is empty and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_.empty(); }

  template <class Number>
  void number(Number& value) {
    const std::string_view bytes = take(sizeof value);
    if (ok_) std::memcpy(&value, bytes.data(), sizeof value);
  }
  std::string_view text(std::size_t longest) {
    std::uint64_t size = 0;
    number(size);
    if (size > longest) ok_ = false;
    return take(size);
  }
  std::vector<std::uint64_t> numbers() {
    const std::string_view bytes = text(left_.size());
    if (bytes.size() % sizeof(std::uint64_t) != 0) ok_ = false;
    std::vector<std::uint64_t> values(ok_ ? bytes.size() / sizeof(std::uint64_t) : 0);
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // How many things of at least that size follow: never more than there are bytes for, so no memory is taken on somebody's word.
  std::uint32_t count(std::size_t least_bytes) {
    std::uint32_t count = 0;
    number(count);
    if (count > left_.size() / least_bytes) ok_ = false;
    return ok_ ? count : 0;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (!ok_ || size > left_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = left_.substr(0, size);
    left_.remove_prefix(size);
    return bytes;
  }

  std::string_view left_;
  bool ok_ = true;
};

// The members in their order in the file, for writing and for reading.
template <class File, class Each>
void numbers_of_file(File& file, const Each& each) {
  each(file.root);
  each(file.first_chunk);
  each(file.chunk_count);
  each(file.size);
  each(file.modified_ns);
  each(file.digest);
}
template <class Chunk, class Each>
void numbers_of_chunk(Chunk& chunk, const Each& each) {
  for (auto* value :
       {&chunk.place.offset, &chunk.place.length, &chunk.place.first_line, &chunk.place.last_line, &chunk.file, &chunk.words})
    each(*value);
  each(chunk.check);
}

// Files in order, each once; the chunks are those of the files, without a hole.
bool check_tables(const search::ChunkIndex& index, std::uint32_t root_count) {
  std::uint32_t chunk = 0;
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    const search::IndexedFile& file = index.files[i];
    if (file.root >= root_count || file.path.empty() || !is_valid_utf8(file.title)) return false;
    if (i != 0) {
      const search::IndexedFile& before = index.files[i - 1];
      if (std::tie(file.root, file.path) <= std::tie(before.root, before.path)) return false;
    }
    if (file.first_chunk != chunk || file.chunk_count > index.chunks.size() - chunk) return false;
    for (const std::uint32_t end = chunk + file.chunk_count; chunk != end; ++chunk)
      if (index.chunks[chunk].file != i || index.chunks[chunk].place.length > search::kMaxLineBytes) return false;
  }
  return chunk == index.chunks.size();
}

}  // namespace

std::string write_index(const search::ChunkIndex& index, std::string_view roots) {
  Writer writer;
  writer.out.reserve(index.postings.bytes().size() + 16 * index.postings.size() + 32 * index.chunks.size() +
                     256 * index.files.size() + 4096);
  writer.out += kMagic;
  writer.text(roots);
  writer.number(index.seed.first);
  writer.number(index.seed.second);
  writer.number(static_cast<std::uint32_t>(index.files.size()));
  const auto write = [&](const auto& value) { writer.number(value); };
  for (const search::IndexedFile& file : index.files) {
    numbers_of_file(file, write);
    writer.text(file.path);
    writer.text(file.title);
  }
  writer.number(static_cast<std::uint32_t>(index.chunks.size()));
  for (const search::IndexedChunk& chunk : index.chunks) numbers_of_chunk(chunk, write);
  writer.numbers(index.postings.words());
  writer.numbers(index.postings.ends());
  writer.text(index.postings.bytes());
  seal_index(writer.out);
  return std::move(writer.out);
}

void seal_index(std::string& bytes) {
  const std::uint64_t checksum = ByteHash(kChecksumSeed)(bytes);
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

std::optional<search::ChunkIndex> read_index(std::string_view bytes, std::string_view roots, std::uint32_t root_count) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + sizeof(std::uint64_t)) return {};
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
  bytes.remove_suffix(sizeof checksum);
  if (checksum != ByteHash(kChecksumSeed)(bytes)) return {};

  Reader reader(bytes.substr(kMagic.size()));
  if (reader.text(bytes.size()) != roots) return {};
  search::ChunkIndex index;
  reader.number(index.seed.first);
  reader.number(index.seed.second);
  const std::uint32_t files = reader.count(sizeof(Digest) + 44);
  index.files.reserve(files);
  const auto read = [&](auto& value) { reader.number(value); };
  for (std::uint32_t i = 0; i < files && reader.ok(); ++i) {
    search::IndexedFile& file = index.files.emplace_back();
    numbers_of_file(file, read);
    file.path = reader.text(kMaxPathBytes);
    file.title = reader.text(kMaxCachedTitleBytes);
  }
  const std::uint32_t chunks = reader.count(32);
  index.chunks.reserve(chunks);
  for (std::uint32_t i = 0; i < chunks && reader.ok(); ++i) numbers_of_chunk(index.chunks.emplace_back(), read);
  std::vector<std::uint64_t> words = reader.numbers(), ends = reader.numbers();
  index.postings = search::Postings(std::move(words), std::move(ends), std::string(reader.text(bytes.size())));
  if (!reader.at_end() || !check_tables(index, root_count) || !index.postings.check(chunks)) return {};
  index.count_words();
  return index;
}

CorpusCache::CorpusCache(std::string folder, std::string roots, std::uint32_t root_count)
    : folder_(std::move(folder)), roots_(std::move(roots)), root_count_(root_count) {
  path_ = folder_ + '/' + std::string(kName) + to_hex(sha256(roots_)).substr(0, 24) + std::string(kEnding);
}

std::optional<search::ChunkIndex> CorpusCache::load() const {
  const auto bytes = read_file(path_, kMaxCacheBytes);
  return bytes ? read_index(*bytes, roots_, root_count_) : std::nullopt;
}

Result<void> CorpusCache::save(const search::ChunkIndex& index) const {
  HF_CHECK(make_private_folder(folder_));
  HF_CHECK(replace_file(path_, write_index(index, roots_)));
  drop_old();
  return {};
}

void CorpusCache::drop_old() const {
  std::error_code problem;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> kept;
  for (std::filesystem::directory_iterator entry(folder_, problem), end; !problem && entry != end; entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kName) || !name.ends_with(kEnding)) continue;
    const auto time = entry->last_write_time(problem);
    if (!problem) kept.emplace_back(time, entry->path());
  }
  std::ranges::sort(kept, std::ranges::greater());
  for (std::size_t i = kMaxCaches; i < kept.size(); ++i) std::filesystem::remove(kept[i].second, problem);
}

}  // namespace holdfast::research
