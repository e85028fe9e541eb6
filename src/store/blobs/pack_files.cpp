#include "store/blobs/pack_files.h"

#include "base/files/file.h"
#include "base/files/zstd_block.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <set>

namespace holdfast::store {
namespace {

constexpr std::string_view kEnding = ".pack";

std::string name_of_pack(std::int64_t pack) {
  return fmt::format("{:08}{}", pack, kEnding);
}

Result<std::vector<std::string>> unnamed_packs(const std::string& folder, const std::vector<PackRow>& packs) {
  std::set<std::string> named;
  for (const PackRow& pack : packs) named.insert(name_of_pack(pack.id));
  std::error_code error;
  std::vector<std::string> unnamed;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(kEnding) && !named.contains(name)) unnamed.push_back(std::move(name));
  }
  if (error) return fail(system_error("reading " + folder, error.value()));
  return unnamed;
}

// Another process may pack a frame anew between looking it up and opening its pack; then it lies elsewhere. More than a few times
// in a row that does not happen.
constexpr int kLookups = 4;

}  // namespace

std::string pack_path(const std::string& folder, std::int64_t pack) {
  return folder + "/" + name_of_pack(pack);
}

PackWriter::PackWriter(std::string folder, const std::vector<PackRow>& packs, std::int64_t next)
    : folder_(std::move(folder)), next_(next) {
  for (const PackRow& pack : packs) {
    if (pack.size < kPackBytes) current_.insert_or_assign(pack.loose, Open{pack, Fd(), false});
  }
}

void PackWriter::leave(std::int64_t pack) {
  std::erase_if(current_, [&](const auto& each) { return each.second.row.id == pack; });
}

Result<PackWriter::Open*> PackWriter::current(bool loose, std::size_t room) {
  auto place = current_.find(loose);
  if (place != current_.end() && place->second.row.size + room > kPackBytes && place->second.row.size > 0) {
    full_.push_back(std::move(place->second));
    current_.erase(place);
    place = current_.end();
  }
  if (place != current_.end() && !place->second.file) {
    Open& open = place->second;
    open.file = Fd(::openat(AT_FDCWD, pack_path(folder_, open.row.id).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    struct stat status{};
    const bool usable = open.file && ::fstat(open.file.get(), &status) == 0 && status.st_size >= 0 &&
                        static_cast<std::uint64_t>(status.st_size) >= open.row.size;
    // A pack that has lost bytes is left as it is for verify to report.
    if (!usable) {
      current_.erase(place);
      place = current_.end();
    } else if (static_cast<std::uint64_t>(status.st_size) > open.row.size &&
               ::ftruncate(open.file.get(), static_cast<off_t>(open.row.size)) != 0) {
      return fail(system_error("cutting " + pack_path(folder_, open.row.id), errno));
    }
  }
  if (place == current_.end()) {
    Open open;
    open.row = {next_, 0, loose};
    const std::string path = pack_path(folder_, next_);
    // O_TRUNC: somebody who did not come to commit may have used the number.
    open.file = Fd(::openat(AT_FDCWD, path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!open.file) return fail(system_error("creating " + path, errno));
    ++next_;
    new_names_ = true;
    place = current_.insert_or_assign(loose, std::move(open)).first;
  }
  return &place->second;
}

Result<PackWriter::Place> PackWriter::append(std::string_view frame, bool loose) {
  const std::lock_guard lock(mutex_);
  HF_TRY(Open* const open, current(loose, frame.size()));
  if (auto written = write_all(open->file.get(), frame); !written) {
    return fail(std::move(written).error().within(pack_path(folder_, open->row.id)));
  }
  const Place place{open->row.id, open->row.size};
  open->row.size += frame.size();
  open->changed = true;
  bytes_ += frame.size();
  return place;
}

Result<void> PackWriter::sync() {
  const std::lock_guard lock(mutex_);
  const auto sync_one = [&](const Open& open) -> Result<void> {
    if (open.changed && ::fdatasync(open.file.get()) != 0) {
      return fail(system_error("syncing " + pack_path(folder_, open.row.id), errno));
    }
    return {};
  };
  for (const Open& open : full_) HF_CHECK(sync_one(open));
  for (const auto& [loose, open] : current_) HF_CHECK(sync_one(open));
  if (new_names_) HF_CHECK(sync_folder(folder_));
  return {};
}

std::vector<PackRow> PackWriter::changed() const {
  std::vector<PackRow> rows;
  for (const Open& open : full_) {
    if (open.changed) rows.push_back(open.row);
  }
  for (const auto& [loose, open] : current_) {
    if (open.changed) rows.push_back(open.row);
  }
  return rows;
}

Result<std::string> read_frame(const std::string& folder, const FrameRow& frame) {
  const std::string path = pack_path(folder, frame.pack);
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error("opening " + path, errno));
  std::string bytes(frame.size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(frame.start + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading " + path, errno));
    if (got == 0) return fail(ErrorKind::corrupt, fmt::format("{} is cut off at byte {}", path, frame.start + done));
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<void> set_unnamed_packs_aside(const std::string& folder, const std::vector<PackRow>& packs) {
  HF_TRY(const std::vector<std::string> unnamed, unnamed_packs(folder, packs));
  if (unnamed.empty()) return {};
  const std::string aside = folder + "/unnamed";
  HF_CHECK(make_private_folder(aside));
  for (const std::string& name : unnamed) {
    if (::rename((folder + "/" + name).c_str(), (aside + "/" + name).c_str()) != 0)
      return fail(system_error("setting " + folder + "/" + name + " aside", errno));
  }
  return sync_folder(folder);
}

Result<void> remove_unnamed_packs(const std::string& folder, const std::vector<PackRow>& packs) {
  HF_TRY(const std::vector<std::string> unnamed, unnamed_packs(folder, packs));
  for (const std::string& name : unnamed) {
    if (::unlink((folder + "/" + name).c_str()) != 0 && errno != ENOENT) {
      return fail(system_error("removing " + folder + "/" + name, errno));
    }
  }
  return {};
}

Result<FrameBytes> ChunkReader::unpack(const FrameRow& frame) {
  if (auto cached = cache_.find(frame.id)) return *std::move(cached);
  HF_TRY(const std::string packed, read_frame(packs_, frame));
  std::string prefix;
  if (!frame.bases.empty()) {
    HF_TRY(prefix, prefix_of(frame.bases));
  }
  auto raw = zstd_unpack(packed, frame.raw_size, prefix);
  if (!raw) return fail(std::move(raw).error().within(fmt::format("{} at byte {}", pack_path(packs_, frame.pack), frame.start)));
  auto bytes = std::make_shared<const std::string>(*std::move(raw));
  cache_.put(frame.id, bytes);
  return bytes;
}

Result<std::string> ChunkReader::prefix_of(const std::vector<std::int64_t>& bases) {
  std::string prefix;
  for (const std::int64_t base : bases) {
    HF_TRY(const std::string bytes, read(base));
    prefix += bytes;
  }
  return prefix;
}

Result<ChunkReader::Found> ChunkReader::find(std::int64_t id) {
  for (int lookup = 1;; ++lookup) {
    std::optional<ChunkRow> chunk;
    std::optional<FrameRow> frame;
    {
      const std::lock_guard lock(mutex_);
      HF_TRY(chunk, chunk_row(db_, id));
      if (!chunk) return fail(ErrorKind::corrupt, fmt::format("chunk {} is not in the catalogue", id));
      if (chunk->frame == 0) return fail(ErrorKind::corrupt, fmt::format("chunk {} is damaged and was set aside", id));
    }
    if (unwritten_) {
      HF_TRY(FrameBytes bytes, unwritten_(chunk->frame));
      if (bytes) return Found{*chunk, std::move(bytes)};
    }
    {
      const std::lock_guard lock(mutex_);
      HF_TRY(frame, frame_row(db_, chunk->frame));
    }
    if (frame) {
      auto bytes = unpack(*frame);
      if (bytes) return Found{*chunk, *std::move(bytes)};
      if (bytes.error().kind != ErrorKind::not_found) return fail(std::move(bytes).error());
      if (lookup == kLookups) return fail(ErrorKind::corrupt, bytes.error().message);
    } else if (lookup == kLookups) {
      return fail(ErrorKind::corrupt, fmt::format("frame {} of chunk {} is not in the catalogue", chunk->frame, id));
    }
  }
}

Result<std::string> ChunkReader::read(std::int64_t id) {
  HF_TRY(const Found found, find(id));
  const ChunkRow& chunk = found.chunk;
  if (std::uint64_t{chunk.start} + chunk.size > found.bytes->size()) {
    return fail(ErrorKind::corrupt, fmt::format("chunk {} is longer than its frame {}", id, chunk.frame));
  }
  std::string bytes = found.bytes->substr(chunk.start, chunk.size);
  if (sha256(bytes) != chunk.hash) {
    return fail(ErrorKind::corrupt, fmt::format("chunk {} in frame {} is damaged: its hash differs", id, chunk.frame));
  }
  return bytes;
}

}  // namespace holdfast::store
