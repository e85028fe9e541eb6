#include "search/index/segment/segment_writer.h"

#include "base/files/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

namespace holdfast::search {
namespace {

constexpr std::size_t kBufferBytes = 256 << 10;

template <class T>
std::string_view bytes_of_all(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

std::uint64_t checksum_of(const SegmentHeader& header) {
  constexpr ByteHash::Seed kSeed{0x5265616C6C792121, 0x6E6F742061206B65};  // not against anybody: against torn and foreign files
  return ByteHash(kSeed)({reinterpret_cast<const char*>(&header), offsetof(SegmentHeader, checksum)});
}

Result<SegmentWriter> SegmentWriter::create(std::string path, ByteHash::Seed seed, std::size_t block_count) {
  const std::string temporary = path + ".new";
  Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail(system_error("cannot write " + temporary, errno));
  SegmentWriter writer(std::move(path), std::move(file), seed, block_count);
  const SegmentHeader empty;
  HF_CHECK(writer.put({reinterpret_cast<const char*>(&empty), sizeof empty}));
  writer.header_.sections[static_cast<std::size_t>(Section::filters)].offset = writer.written_;
  return writer;
}

SegmentWriter::SegmentWriter(std::string path, Fd file, ByteHash::Seed seed, std::size_t block_count)
    : path_(std::move(path)), file_(std::move(file)), words_(block_count), attributes_(block_count) {
  header_.seed_first = seed.first;
  header_.seed_second = seed.second;
  blocks_.reserve(block_count);
}

SegmentWriter::~SegmentWriter() {
  if (file_) ::unlink(temporary().c_str());
}

Result<void> SegmentWriter::put(std::string_view bytes) {
  written_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() < kBufferBytes) return {};
  HF_CHECK(write_all(file_.get(), buffer_));
  buffer_.clear();
  return {};
}

Result<void> SegmentWriter::put_section(Section section, std::string_view bytes) {
  if (written_ % 8 != 0) HF_CHECK(put(std::string(8 - written_ % 8, '\0')));
  header_.sections[static_cast<std::size_t>(section)] = {written_, bytes.size()};
  return put(bytes);
}

Result<void> SegmentWriter::add_block(BlockEntry entry, std::uint64_t source, std::string_view filter) {
  SectionPlace& filters = header_.sections[static_cast<std::size_t>(Section::filters)];
  if (sources_.empty() || sources_[blocks_.back().source] != source) {
    const auto known = std::ranges::find(sources_, source);
    entry.source = static_cast<std::uint32_t>(known - sources_.begin());
    if (known == sources_.end()) sources_.push_back(source);
  } else {
    entry.source = blocks_.back().source;
  }
  entry.filter = filters.size;
  entry.filter_bytes = static_cast<std::uint32_t>(filter.size());
  filters.size += filter.size();
  header_.text_bytes += entry.text_bytes;
  blocks_.push_back(entry);
  return put(filter);
}

Result<WrittenSegment> SegmentWriter::finish() {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (const LexiconWriter* lexicon : {&words_, &attributes_})
    if (lexicon->text().size() > kMost || lexicon->postings().size() > kMost)
      return fail(ErrorKind::too_large, path_ + ": more terms than a segment can hold");
  HF_CHECK(put_section(Section::blocks, bytes_of_all(blocks_)));
  HF_CHECK(put_section(Section::sources, bytes_of_all(sources_)));
  HF_CHECK(put_section(Section::words, words_.text()));
  HF_CHECK(put_section(Section::word_table, bytes_of_all(words_.table())));
  HF_CHECK(put_section(Section::word_postings, words_.postings()));
  HF_CHECK(put_section(Section::attributes, attributes_.text()));
  HF_CHECK(put_section(Section::attribute_table, bytes_of_all(attributes_.table())));
  HF_CHECK(put_section(Section::attribute_postings, attributes_.postings()));
  HF_CHECK(write_all(file_.get(), buffer_));
  header_.checksum = checksum_of(header_);
  if (::pwrite(file_.get(), &header_, sizeof header_, 0) != static_cast<ssize_t>(sizeof header_))
    return fail(system_error("cannot write " + temporary(), errno));
  if (::fsync(file_.get()) != 0) return fail(system_error("cannot sync " + temporary(), errno));
  if (::renameat(AT_FDCWD, temporary().c_str(), AT_FDCWD, path_.c_str()) != 0)
    return fail(system_error("cannot rename " + temporary(), errno));
  file_.reset();
  return WrittenSegment{written_, header_.text_bytes, blocks_.size()};
}

}  // namespace holdfast::search
