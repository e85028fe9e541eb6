// Any bytes as an archive: the reader gives only paths that belong to the session, each file once and whole, nothing from an
// archive of hashes that does not match them, and the contents it named before.

#include "base/crypto/hash.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/archive/archive_slots.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <set>

using namespace holdfast;
using namespace holdfast::transcripts;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

class Checking final : public Receiver {
 public:
  explicit Checking(const Inventory& contents) : contents_(contents) {}

  Result<void> begin(const Artifact& artifact) override {
    require(!open_ && is_safe_path(artifact.path));
    require(kind_of_path(artifact.path, contents_.place) == artifact.kind);
    require(contents_.find(artifact.path) != nullptr);
    require(given_.insert(artifact.path).second);
    lines_ = is_line_file(artifact.kind);
    open_ = true;
    return {};
  }
  Result<void> line(const Piece& piece) override {
    require(open_ && lines_ && !ended_);
    require(piece.text.find('\n') == piece.text.npos);
    require(piece.ending.empty() || piece.ending == "\n" || piece.ending == "\r\n");
    ended_ = piece.ending.empty() && !piece.overlong;
    return {};
  }
  Result<void> bytes(std::string_view) override {
    require(open_ && !lines_);
    return {};
  }
  Result<void> end() override {
    require(open_);
    open_ = ended_ = false;
    return {};
  }
  std::size_t given() const { return given_.size(); }

 private:
  const Inventory& contents_;
  std::set<std::string> given_;
  bool open_ = false, lines_ = false, ended_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fd file(::memfd_create("archive", MFD_CLOEXEC));
  if (!file || ::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  ArchiveLimits limits;
  limits.max_bytes = 1 << 20;
  limits.max_entries = 1000;
  auto reader = ArchiveReader::open(std::move(file), limits);
  if (!reader) return 0;
  const auto contents = reader->contents();
  if (!contents) return 0;
  Checking checking(*contents);
  const auto counts = reader->read(checking);
  if (counts) require(counts->files == checking.given() && checking.given() == contents->artifacts.size());
  return 0;
}
