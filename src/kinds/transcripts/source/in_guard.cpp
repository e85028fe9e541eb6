// What the guard kept of a session as its bytes (session_source.h).

#include "jsonl/limits.h"
#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/source/session_source.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

class SourceInGuard final : public SessionSource {
 public:
  SourceInGuard(session::Blobs& blobs, KeptSession session, const KeptVersion& version, bool as_it_is)
      : SessionSource(any_session(session), "guard:" + session.id, false),
        blobs_(blobs),
        kept_(std::move(session)),
        version_(version),
        as_it_is_(as_it_is) {}

  Result<Inventory> inventory(const Progress& progress) override {
    Inventory inventory;
    inventory.place = kept_.place;
    Slugs slugs;
    HF_TRY(const std::vector<session::KeptFile> files, files_of(blobs_, kept_, version_, &slugs));
    std::uint64_t total = 0, done = 0;
    for (const session::KeptFile& file : files) total += file.size;
    const auto tell = [&](std::uint64_t bytes) -> Result<void> {
      done += bytes;
      if (progress && !progress("reading the guard", done, total)) return fail(ErrorKind::cancelled, "stopped");
      return {};
    };
    for (const session::KeptFile& file : files) {
      const std::string path = file_of_key(file.key).value_or(GuardedFile{}).path;
      if (auto whole = check_kept(blobs_, file, tell); !whole) {
        if (whole.error().kind != ErrorKind::corrupt) return fail(std::move(whole).error());
        if (file.key == kept_.transcript.key) return fail(lost_transcript(kept_, std::move(whole).error()));
        inventory.left_out.push_back(shown_path(path) + ": damaged in the guard");
      } else {
        inventory.artifacts.push_back(
            {kind_of_path(path, kept_.place).value_or(ArtifactKind::other), path, file.size, file.mode & 0777, file.modified_at});
      }
    }
    if (kept_.product == Product::codex) return rollout();
    inventory.slugs.assign(slugs.names.begin(), slugs.names.end());
    inventory.lie_as_on_disk();
    return inventory;
  }

  Result<Bytes> stored(const std::string& path) override {
    const std::string key = guard_key({kept_.product, path});
    // The session may be one of an older version already.
    const bool is_transcript = path == kept_.path();
    HF_TRY(auto kept, is_transcript ? Result<std::optional<session::KeptFile>>(kept_.transcript) : blobs_.file(key));
    if (!kept && kept_.product == Product::codex) {
      HF_TRY(kept, blobs_.file(key + std::string(kCompressedEnding)));
    }
    if (!kept) return fail(ErrorKind::not_found, fmt::format("the guard has kept no {}", shown_path(path)));
    HF_TRY(const session::KeptFile file,
           chosen_version(blobs_, *kept, version_, is_transcript || kept->key == kept_.transcript.key));
    Bytes bytes;
    bytes.size = file.size;
    bytes.incarnation = fmt::format("kept:{}:{}", file.version, file.sha256);
    bytes.mode = file.mode & 0777;
    bytes.mtime = file.modified_at;
    bytes.compressed = file.key.ends_with(kCompressedEnding);
    bytes.read = [&blobs = blobs_, file, as_it_is = as_it_is_](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
      std::vector<session::Blobs::Gap> lost;  // whoever opened it has been told
      for (std::size_t done = 0;;) {
        HF_TRY(const std::size_t got, as_it_is ? blobs.read_what_is_left(file, offset + done, to.subspan(done), lost)
                                               : blobs.read(file, offset + done, to.subspan(done)));
        done += got;
        if (got == 0 || done == to.size()) return done;
      }
    };
    return bytes;
  }

  Result<std::vector<std::string>> below(const std::string& folder) override {
    HF_TRY(const auto files, blobs_.files(guard_key({kept_.product, folder + "/"})));
    std::vector<std::string> found;
    for (const session::KeptFile& file : files) found.push_back(file_of_key(file.key).value_or(GuardedFile{}).path);
    return found;
  }

  Result<std::string> hash() const override { return kept_.transcript.sha256; }

  Result<Remarks> remarks() override {
    HF_TRY(const session::KeptFile transcript, chosen_version(blobs_, kept_.transcript, version_, true));
    Remarks remarks;
    remarks.emplace_back("kept",
                         fmt::format("in the guard since {}, version {}", iso8601(transcript.kept_at), transcript.version));
    HF_TRY(const auto lost, blobs_.gaps(transcript));
    if (lost.empty()) return remarks;
    std::uint64_t bytes = 0;
    for (const session::Blobs::Gap& gap : lost) bytes += gap.end - gap.begin;
    remarks.emplace_back("damaged",
                         fmt::format("{} of {} bytes are lost, from byte {} on", bytes, transcript.size, lost.front().begin));
    return remarks;
  }

 private:
  session::Blobs& blobs_;
  const KeptSession kept_;
  const KeptVersion version_;
  const bool as_it_is_;
};

}  // namespace

std::unique_ptr<SessionSource> source_in_guard(session::Blobs& blobs, KeptSession session, const KeptVersion& version,
                                               bool as_it_is) {
  return std::make_unique<SourceInGuard>(blobs, std::move(session), version, as_it_is);
}

}  // namespace holdfast::transcripts
