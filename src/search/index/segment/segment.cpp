#include "search/index/segment/segment.h"

#include "base/files/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace holdfast::search {

Result<std::shared_ptr<const Segment>> Segment::open(const std::string& path, ByteHash::Seed seed) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return fail(system_error("cannot open " + path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error("cannot read " + path, errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < sizeof(SegmentHeader))
    return fail(ErrorKind::corrupt, path + " is no segment of an index");
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return fail(system_error("cannot map " + path, errno));
  auto segment = std::make_shared<Segment>();
  segment->mapped_ = mapped;
  segment->size_ = size;
  if (auto attached = segment->attach({static_cast<const char*>(mapped), size}, seed); !attached)
    return fail(std::move(attached).error().within(path));
  return std::shared_ptr<const Segment>(std::move(segment));
}

Result<std::shared_ptr<const Segment>> Segment::over(std::string_view bytes, ByteHash::Seed seed) {
  auto segment = std::make_shared<Segment>();
  HF_CHECK(segment->attach(bytes, seed));
  return std::shared_ptr<const Segment>(std::move(segment));
}

Segment::~Segment() {
  if (mapped_) ::munmap(mapped_, size_);
}

Result<void> Segment::attach(std::string_view bytes, ByteHash::Seed seed) {
  const auto damaged = [](std::string_view what) { return fail(ErrorKind::corrupt, "damaged segment: " + std::string(what)); };
  SegmentHeader header;
  if (bytes.size() < sizeof header) return damaged("too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kSegmentMagic || header.checksum != checksum_of(header)) return damaged("header");
  if (header.seed_first != seed.first || header.seed_second != seed.second) return damaged("of another index");
  std::array<std::string_view, kSections> sections;
  for (std::size_t i = 0; i < kSections; ++i) {
    const SectionPlace& place = header.sections[i];
    if (place.offset > bytes.size() || place.size > bytes.size() - place.offset || place.offset % 8 != 0)
      return damaged("sections");
    sections[i] = bytes.substr(place.offset, place.size);
  }
  const auto section = [&](Section which) { return sections[static_cast<std::size_t>(which)]; };
  const std::string_view blocks = section(Section::blocks), sources = section(Section::sources);
  if (blocks.size() % sizeof(BlockEntry) != 0 || sources.size() % sizeof(std::uint64_t) != 0) return damaged("tables");
  filters_ = section(Section::filters);
  blocks_ = {reinterpret_cast<const BlockEntry*>(blocks.data()), blocks.size() / sizeof(BlockEntry)};
  sources_ = {reinterpret_cast<const std::uint64_t*>(sources.data()), sources.size() / sizeof(std::uint64_t)};
  text_bytes_ = header.text_bytes;
  size_ = bytes.size();
  long_words_ = BlockSet(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const BlockEntry& block = blocks_[i];
    if (block.source >= sources_.size() || block.from > block.to || block.filter > filters_.size() ||
        block.filter_bytes > filters_.size() - block.filter || block.oldest > block.newest)
      return damaged("blocks");
    if ((block.flags & BlockEntry::kLongWords) != 0) long_words_.add(i);
    newest_ = i == 0 ? block.newest : std::max(newest_, block.newest);
    oldest_ = i == 0 ? block.oldest : std::min(oldest_, block.oldest);
    if (runs_.empty() || runs_.back().source != sources_[block.source]) runs_.push_back({sources_[block.source], i, i, 0});
    runs_.back().end = i + 1;
    runs_.back().to = std::max(runs_.back().to, block.to);
  }
  const auto words =
      Lexicon::over(section(Section::words), section(Section::word_table), section(Section::word_postings), blocks_.size());
  const auto attributes = Lexicon::over(section(Section::attributes), section(Section::attribute_table),
                                        section(Section::attribute_postings), blocks_.size());
  if (!words || !attributes) return damaged("terms");
  words_ = *words;
  attributes_ = *attributes;
  return {};
}

}  // namespace holdfast::search
