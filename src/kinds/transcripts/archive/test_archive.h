#pragma once

// For tests: what a Receiver was given, and archives and compressed files made by hand.

#include "base/files/file.h"
#include "base/files/zstd.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/archive/archive_writer.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>

#include <map>
#include <string>

namespace holdfast::transcripts {

class Collector final : public Receiver {
 public:
  Result<void> begin(const Artifact& artifact) override {
    EXPECT_FALSE(open_) << artifact.path;
    EXPECT_FALSE(files.contains(artifact.path)) << artifact.path;
    current_ = artifact;
    files[artifact.path];
    modes[artifact.path] = artifact.mode;
    kinds[artifact.path] = artifact.kind;
    open_ = true;
    return {};
  }
  Result<void> line(const Piece& piece) override {
    EXPECT_TRUE(is_line_file(current_.kind)) << current_.path;
    files[current_.path].append(piece.text).append(piece.ending);
    if (piece.record) ++records;
    if (piece.overlong) ++overlong;
    return {};
  }
  Result<void> bytes(std::string_view bytes) override {
    EXPECT_FALSE(is_line_file(current_.kind)) << current_.path;
    files[current_.path] += bytes;
    return {};
  }
  Result<void> end() override {
    EXPECT_TRUE(open_);
    open_ = false;
    return {};
  }

  std::map<std::string, std::string> files;
  std::map<std::string, mode_t> modes;
  std::map<std::string, ArtifactKind> kinds;
  std::uint64_t records = 0, overlong = 0;

 private:
  Artifact current_;
  bool open_ = false;
};

inline std::string packed(std::string_view text) {
  std::string out;
  const auto sink = [&out](std::string_view part) -> Result<void> {
    out += part;
    return {};
  };
  auto writer = ZstdWriter::make(text.size(), sink, {}).value();
  EXPECT_TRUE(writer.write(text));
  EXPECT_TRUE(writer.finish());
  return out;
}

inline Result<ArchiveReader> open_archive(const std::string& path, const ArchiveLimits& limits = {}) {
  return ArchiveReader::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), limits);
}

// An archive given as its text or bytes; never on a disk.
inline Result<ArchiveReader> archive_of(std::string_view bytes, const ArchiveLimits& limits = {}) {
  Fd file(::memfd_create("archive", MFD_CLOEXEC));
  HF_CHECK(write_all(file.get(), bytes));
  return ArchiveReader::open(std::move(file), limits);
}

inline Result<Collector> collect(std::string_view bytes, const ArchiveLimits& limits = {}) {
  HF_TRY(ArchiveReader reader, archive_of(bytes, limits));
  Collector collector;
  HF_TRY(const ArchiveCounts counts, reader.read(collector));
  EXPECT_EQ(counts.files, collector.files.size());
  return collector;
}

}  // namespace holdfast::transcripts
