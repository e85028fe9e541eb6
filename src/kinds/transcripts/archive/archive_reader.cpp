#include "kinds/transcripts/archive/archive_reader.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/zstd.h"
#include "base/text/text.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/archive/archive_decode.h"
#include "kinds/transcripts/archive/archive_delivery.h"
#include "kinds/transcripts/archive/archive_index.h"
#include "kinds/transcripts/archive/archive_opening.h"
#include "kinds/transcripts/lines/hash_beside.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

namespace holdfast::transcripts {
namespace {

using jsonl::PullParser;

// '{' or the magic number of zstd, as the first characters of base64.
bool looks_like_base64(std::string_view bytes) {
  if (bytes.starts_with("KLUv/")) return true;
  constexpr std::string_view kBehindBrace = "wxyz0123456789+/";
  return bytes.size() >= 4 && bytes[0] == 'e' && kBehindBrace.contains(bytes[1]);
}

std::string_view without_blanks(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first == bytes.npos ? std::string_view() : bytes.substr(first);
}

}  // namespace

// The JSON document of an archive file, out of its compression and base64, within limits.
class ArchiveDocument {
 public:
  // The descriptor belongs to the caller.
  ArchiveDocument(int fd, const ArchiveLimits& limits) : fd_(fd), limits_(limits) {}

  // From the beginning of the file, whose first bytes decide what it is. Errors: corrupt (no archive), invalid, io.
  Result<void> begin() {
    struct stat status{};
    if (::fstat(fd_, &status) != 0) return fail(system_error("the archive", errno));
    if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, "an archive must be a regular file");
    file_size_ = static_cast<std::uint64_t>(status.st_size);
    std::string head(64, '\0');
    HF_TRY(std::size_t got, from_file(head.data(), head.size()));
    head.resize(got);
    position_ = 0;
    bool packed = false;
    if (looks_like_zstd(head)) {
      packed = true;
    } else if (head.starts_with(kByteOrderMark)) {
      position_ = kByteOrderMark.size();
    } else if (looks_like_base64(without_blanks(head))) {
      wrapped_ = true;
      packed = without_blanks(head).starts_with("KLUv/");
    } else if (!without_blanks(head).starts_with('{')) {
      return fail(ErrorKind::corrupt, "this is no archive: neither JSON, nor zstd, nor base64 of either");
    }
    if (packed) {
      HF_TRY(ZstdReader zstd, ZstdReader::make([this](char* to, std::size_t room) { return unwrapped(to, room); }));
      zstd_.emplace(std::move(zstd));
      if (file_size_ >= kReadAheadFrom)
        ahead_ = std::make_unique<ReadAhead>([this](char* to, std::size_t room) { return within_limits(to, room); });
    }
    return {};
  }

  // 0 at the end. Errors: corrupt, too_large (size, ratio), io.
  Result<std::size_t> read(char* to, std::size_t room) { return ahead_ ? ahead_->read(to, room) : within_limits(to, room); }
  // How much of the file has been read, and its size: for progress.
  std::uint64_t position() const { return position_; }
  std::uint64_t file_size() const { return file_size_; }

 private:
  Result<std::size_t> within_limits(char* to, std::size_t room) {
    HF_TRY(const std::size_t got, zstd_ ? zstd_->read(to, room) : unwrapped(to, room));
    given_ += got;
    if (given_ > limits_.max_bytes)
      return fail(ErrorKind::too_large, fmt::format("the archive unpacks to more than {} bytes", limits_.max_bytes));
    if (given_ > limits_.ratio_from && given_ / limits_.max_ratio > file_size_)
      return fail(ErrorKind::too_large, fmt::format("the archive unpacks to more than {} times its size", limits_.max_ratio));
    return got;
  }

  Result<std::size_t> unwrapped(char* to, std::size_t room) {
    if (!wrapped_) return from_file(to, room);
    while (decoded_.empty() && !text_ended_) {
      std::string text(jsonl::kReadBytes, '\0');
      HF_TRY(const std::size_t got, from_file(text.data(), text.size()));
      text_ended_ = got == 0;
      HF_CHECK(text_ended_ ? decoder_.finish(decoded_) : decoder_.add(std::string_view(text).substr(0, got), decoded_));
    }
    const std::size_t count = std::min(room, decoded_.size());
    std::memcpy(to, decoded_.data(), count);
    decoded_.erase(0, count);
    return count;
  }

  Result<std::size_t> from_file(char* to, std::size_t room) {
    for (;;) {
      const ssize_t got = ::pread(fd_, to, room, static_cast<off_t>(position_.load()));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading the archive", errno));
      position_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  const int fd_;
  const ArchiveLimits limits_;
  std::uint64_t file_size_ = 0;
  bool wrapped_ = false;  // in base64
  std::atomic<std::uint64_t> position_ = 0;
  std::uint64_t given_ = 0;
  Base64Decoder decoder_;
  std::string decoded_;
  bool text_ended_ = false;
  std::optional<ZstdReader> zstd_;
  std::unique_ptr<ReadAhead> ahead_;  // last: its thread uses all of the above
};

namespace {

// Whether the paths of an archive can lie on one disk together: corrupt when a file stands where a folder is, or a folder that
// other files need.
Result<void> check_tree(const Inventory& contents) {
  std::set<std::string_view> files;
  for (const Artifact& artifact : contents.artifacts) files.insert(artifact.path);
  const auto check = [&](std::string_view folder) -> Result<void> {
    if (!files.contains(folder)) return {};
    return fail(ErrorKind::corrupt, "the archive has a file and a folder of one name: " + std::string(folder));
  };
  const auto check_above = [&](std::string_view path) -> Result<void> {
    for (std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0; slash = path.rfind('/', slash - 1))
      HF_CHECK(check(path.substr(0, slash)));
    return {};
  };
  for (const Artifact& artifact : contents.artifacts) HF_CHECK(check_above(artifact.path));
  for (const ArtifactFolder& folder : contents.folders) {
    HF_CHECK(check(folder.path));
    HF_CHECK(check_above(folder.path));
  }
  return {};
}

// Gives the content of the members to a Delivery.
class Deliverer final : public MemberContent {
 public:
  Deliverer(const ArchiveOpening& opening, const ArchiveIndex* index, Delivery& delivery, std::vector<std::string>& warnings)
      : opening_(opening), index_(index), delivery_(delivery), warnings_(warnings), reader_(!index) {}

  Result<std::uint64_t> records(const Slot& slot, PullParser& in) override {
    HF_TRY(path_, path_for(slot));
    HF_TRY(const bool wanted, delivery_.begin(path_, Delivery::Way::field));
    if (!wanted) return reader_.read(in, [](std::string_view) -> Result<void> { return {}; });
    HF_TRY(const std::uint64_t count, reader_.read(in, [this](std::string_view record) { return delivery_.record(record); }));
    HF_CHECK(delivery_.end());
    return count;
  }

  Result<void> file(const Slot& slot, Spelling spelling, PullParser& in) override {
    HF_TRY(path_, path_for(slot));
    return stream(path_, spelling, Delivery::Way::field, in);
  }

  Result<void> stream(const std::string& path, Spelling spelling, Delivery::Way way, PullParser& in) {
    HF_TRY(const bool wanted, delivery_.begin(path, way));
    if (!wanted) return in.skip();
    if (spelling == Spelling::text) {
      HF_CHECK(in.text([this](std::string_view piece) { return delivery_.bytes(piece); }));
      return delivery_.end();
    }
    Base64Decoder decoder;
    std::string bytes;
    const auto give = [&]() -> Result<void> {
      if (!bytes.empty()) HF_CHECK(delivery_.bytes(bytes));
      bytes.clear();
      return {};
    };
    const auto decode = [&](std::string_view piece) -> Result<void> {
      HF_CHECK(decoder.add(piece, bytes));
      return give();
    };
    HF_CHECK(in.text(decode));
    HF_CHECK(decoder.finish(bytes));
    HF_CHECK(give());
    return delivery_.end();
  }

  Result<void> task(PullParser& in) override {
    HF_TRY(const std::string_view object, in.span(kMaxArchivedTaskBytes));
    Slot slot{Holder::tasks, {}, {}, {}, false};
    HF_TRY(slot.id, id_of_task(scanner_, object));
    HF_TRY(path_, path_for(slot));
    HF_TRY(const bool wanted, delivery_.begin(path_, Delivery::Way::field));
    if (!wanted) return {};
    HF_CHECK(delivery_.bytes(object));
    return delivery_.end();
  }

  // In an archive of ours the whole name stands before the content, or the content went to the wrong file.
  Result<void> end(const Slot& slot) override {
    if (index_ || slot.holder == Holder::main_session) return {};
    HF_TRY(const std::string path, path_of(slot, opening_.place));
    if (path != path_) return fail(ErrorKind::corrupt, "the archive names a file behind its content: " + path);
    return {};
  }

  void unknown_field(std::string_view name) override {
    if (!index_ && warnings_.size() < kMaxWarnings)
      warnings_.push_back(fmt::format("unknown field {}: ignored", to_valid_utf8(name)));
  }

  // Of a foreign archive it was told when the index was made; one of ours was damaged.
  Result<void> wrong_count(const std::string& what) override { return index_ ? Result<void>{} : fail(ErrorKind::corrupt, what); }

 private:
  Result<std::string> path_for(const Slot& slot) {
    if (index_) {
      if (next_ == index_->files.size()) return fail(ErrorKind::conflict, "the archive changed while it was read");
      return index_->files[next_++].path;
    }
    if (slot.holder == Holder::main_session) return opening_.block->main()->artifact.path;
    return path_of(slot, opening_.place);
  }

  const ArchiveOpening& opening_;
  const ArchiveIndex* index_;  // of foreign archives
  Delivery& delivery_;
  std::vector<std::string>& warnings_;
  RecordReader reader_;
  jsonl::Scanner scanner_;
  std::string path_;  // of the last content
  std::size_t next_ = 0;
};

}  // namespace

struct ArchiveReader::State {
  Fd file;
  ArchiveLimits limits;
  ArchiveOpening opening;
  std::optional<ArchiveIndex> index;
  std::vector<std::string> warnings;

  // One way through the whole document. `block` is called before the value of `raw` and of `extra_files`.
  using BlockPart = std::function<Result<void>(const std::string& name, PullParser& in)>;
  Result<void> pass(MemberContent& content, const BlockPart& block_part, const Progress& progress) {
    ArchiveDocument source(file.get(), limits);
    HF_CHECK(source.begin());
    PullParser in([&](char* to, std::size_t room) -> Result<std::size_t> {
      if (progress && !progress("read", source.position(), source.file_size()))
        return fail(ErrorKind::cancelled, "stopped while the archive was read");
      return source.read(to, room);
    });
    std::set<std::string, std::less<>> seen;
    HF_CHECK(in.enter_object());
    for (;;) {
      HF_TRY(const auto key, in.next_key());
      if (!key) break;
      if (!seen.insert(*key).second)
        return fail(ErrorKind::corrupt, fmt::format("the archive has \"{}\" twice", to_valid_utf8(*key)));
      if (seen.size() > limits.max_entries) return fail(ErrorKind::too_large, "the archive has too many members");
      HF_CHECK(*key == "holdfast" ? block(in, block_part) : member(*key, in, content));
    }
    HF_CHECK(in.finish());
    if (!seen.contains("main_session") && !seen.contains("files"))
      return fail(ErrorKind::corrupt, "the archive holds no transcript");
    return {};
  }

  Result<void> member(const std::string& name, PullParser& in, MemberContent& content) {
    HF_TRY(const bool taken, read_member(name, opening.header.session_id, in, content));
    if (taken) return {};
    if (!is_header_member(name)) content.unknown_field(name);
    return in.skip();
  }

  Result<void> block(PullParser& in, const BlockPart& block_part) {
    if (!opening.block) return fail(ErrorKind::corrupt, "the block \"holdfast\" must stand before the files it describes");
    std::set<std::string, std::less<>> seen;
    HF_CHECK(in.enter_object());
    for (;;) {
      HF_TRY(const auto key, in.next_key());
      if (!key) return {};
      if (!seen.insert(*key).second)
        return fail(ErrorKind::corrupt, fmt::format("the block has \"{}\" twice", to_valid_utf8(*key)));
      const bool streamed = *key == "raw" || *key == "extra_files";
      // What describes files must be known before the first of them is given.
      if (!streamed && (seen.contains("raw") || seen.contains("extra_files")))
        return fail(ErrorKind::corrupt, fmt::format("the block has \"{}\" behind its files", to_valid_utf8(*key)));
      HF_CHECK(streamed ? block_part(*key, in) : in.skip());
    }
  }

  Result<void> make_index(const Progress& progress) {
    if (index || opening.block) return {};
    ArchiveIndex made;
    Indexer indexer(opening.place, limits, opening.header.version.starts_with("1."), made, warnings);
    HF_CHECK(pass(indexer, {}, progress));
    HF_CHECK(check_tree(made.inventory(opening.place)));
    index = std::move(made);
    return {};
  }

  Result<void> raw(Deliverer& deliverer, PullParser& in) {
    HF_CHECK(in.enter_object());
    for (;;) {
      HF_TRY(const auto path, in.next_key());
      if (!path) return {};
      HF_CHECK(deliverer.stream(*path, MemberContent::Spelling::base64, Delivery::Way::block, in));
    }
  }

  Result<void> extra_files(Deliverer& deliverer, PullParser& in) {
    constexpr std::size_t kMaxPathBytes = 4096;
    HF_CHECK(in.enter_array());
    for (;;) {
      HF_TRY(const bool another, in.next_element());
      if (!another) return {};
      std::string root, path;
      bool given = false;
      HF_CHECK(in.enter_object());
      for (;;) {
        HF_TRY(const auto key, in.next_key());
        if (!key) break;
        const bool known = *key == "root" || *key == "path" || *key == "b64";
        if (known && given) return fail(ErrorKind::corrupt, "extra_files: root and path must stand before b64, once");
        if (*key == "root") {
          HF_TRY(root, in.text(kMaxPathBytes));
        } else if (*key == "path") {
          HF_TRY(path, in.text(kMaxPathBytes));
        } else if (*key == "b64") {
          given = true;
          if ((root != "session" && root != "config") || !is_safe_path(path))
            return fail(ErrorKind::corrupt, "extra_files: a path that cannot be a file of a session");
          const std::string whole = root == "session" ? opening.place.folder() + "/" + path : path;
          HF_CHECK(deliverer.stream(whole, MemberContent::Spelling::base64, Delivery::Way::block, in));
        } else {
          HF_CHECK(in.skip());
        }
      }
      if (!given) return fail(ErrorKind::corrupt, "extra_files: an entry without content");
    }
  }
};

ArchiveReader::ArchiveReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;
ArchiveReader::~ArchiveReader() = default;

Result<ArchiveReader> ArchiveReader::open(Fd file, const ArchiveLimits& limits) {
  auto state = std::make_unique<State>();
  state->file = std::move(file);
  state->limits = limits;
  ArchiveDocument source(state->file.get(), limits);
  HF_CHECK(source.begin());
  PullParser in([&](char* to, std::size_t room) { return source.read(to, room); });
  HF_TRY(state->opening, read_opening(in, limits));
  state->warnings = std::move(state->opening.warnings);
  ArchiveReader reader(std::move(state));
  if (reader.state_->opening.block) {
    HF_TRY(const Inventory contents, reader.contents());
    HF_CHECK(check_tree(contents));
  }
  return reader;
}

const ArchiveHeader& ArchiveReader::header() const {
  return state_->opening.header;
}

const std::vector<std::string>& ArchiveReader::warnings() const {
  return state_->warnings;
}

Result<Inventory> ArchiveReader::contents() {
  if (!state_->opening.block) {
    HF_CHECK(state_->make_index({}));
    return state_->index->inventory(state_->opening.place);
  }
  const ArchiveBlock& block = *state_->opening.block;
  Inventory inventory;
  inventory.place = state_->opening.place;
  for (const ArchiveBlock::File& file : block.files) inventory.artifacts.push_back(file.artifact);
  inventory.folders = block.folders;
  inventory.slugs = block.slugs;
  return inventory;
}

Result<ArchiveCounts> ArchiveReader::read(Receiver& receiver, const Progress& progress) {
  HF_CHECK(state_->make_index(progress));
  const ArchiveBlock* block = state_->opening.block ? &*state_->opening.block : nullptr;
  Delivery delivery(receiver, state_->opening.place, block, state_->limits);
  Deliverer deliverer(state_->opening, block ? nullptr : &*state_->index, delivery, state_->warnings);
  HF_CHECK(state_->pass(
      deliverer,
      [&](const std::string& name, PullParser& in) {
        return name == "raw" ? state_->raw(deliverer, in) : state_->extra_files(deliverer, in);
      },
      progress));
  HF_CHECK(delivery.finish());
  return delivery.take_counts();
}

Result<Fd> spool(int stream, const std::string& folder, std::uint64_t max_bytes) {
  HF_TRY(Fd file, make_temporary(folder));
  std::string buffer(jsonl::kReadBytes, '\0');
  for (std::uint64_t total = 0;;) {
    const ssize_t got = ::read(stream, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading the archive", errno));
    if (got == 0) return file;
    total += static_cast<std::uint64_t>(got);
    if (total > max_bytes) return fail(ErrorKind::too_large, fmt::format("the archive has more than {} bytes", max_bytes));
    HF_CHECK(write_all(file.get(), std::string_view(buffer).substr(0, static_cast<std::size_t>(got))));
  }
}

}  // namespace holdfast::transcripts
