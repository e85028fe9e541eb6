// The files of a client's home as the bytes of a session (session_source.h).

#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/source/session_source.h"

#include <dirent.h>

#include <cerrno>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kDepthBelow = 4;  // subagents/workflows/wf_…/agent-…

class SourceOnDisk final : public SessionSource {
 public:
  SourceOnDisk(const Home& home, AnySession session) : SessionSource(session, home.absolute(session.path()), true), home_(home) {}

  Result<Inventory> inventory(const Progress&) override {
    return session().claude() ? take_inventory(home_, session().claude()->place) : rollout();
  }

  Result<Bytes> stored(const std::string& path) override {
    auto file = home_.open_file(path);
    const auto codex = codex_file_of(path);
    bool compressed = codex && codex->compressed;
    // A plain file wins.
    if (!file && file.error().kind == ErrorKind::not_found && codex && !compressed)
      if (auto packed = home_.open_file(path + std::string(kCompressedEnding))) {
        file = std::move(packed);
        compressed = true;
      }
    if (!file) return fail(std::move(file).error());
    struct stat status{};
    if (::fstat(file->get(), &status) != 0) return fail(system_error(path, errno));
    HF_TRY(reading::ByteSource bytes, reading::file_source(*std::move(file)));
    return Bytes{std::move(bytes), status.st_mode & 07777, mtime_of(status), compressed};
  }

  Result<std::vector<std::string>> below(const std::string& folder) override {
    std::vector<std::string> found;
    HF_CHECK(walk(folder, kDepthBelow, found));
    return found;
  }

  // Codex keeps the names that a person gave in a file of its own.
  Result<SessionLine> line(Extent extent) override {
    if (session().claude()) return SessionSource::line(extent);
    HF_TRY(CodexSession summary, summarise_codex(home_, *session().codex()));
    return to_line(std::move(summary));
  }

 private:
  Result<void> walk(const std::string& folder, std::size_t depth, std::vector<std::string>& found) const {
    HF_TRY(const auto entries, home_.entries(folder));
    for (const Home::Entry& entry : entries) {
      const std::string path = folder + "/" + entry.name;
      if (entry.type == DT_REG) found.push_back(path);
      if (entry.type == DT_DIR && depth > 1) HF_CHECK(walk(path, depth - 1, found));
    }
    return {};
  }

  const Home home_;
};

}  // namespace

std::unique_ptr<SessionSource> source_on_disk(const Home& home, AnySession session) {
  return std::make_unique<SourceOnDisk>(home, std::move(session));
}

std::unique_ptr<SessionSource> source_on_disk(const Home& home, const SessionPlace& place) {
  return source_on_disk(home, AnySession{FoundSession{place, 0, 0}});
}

}  // namespace holdfast::transcripts
