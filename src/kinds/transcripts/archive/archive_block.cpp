#include "kinds/transcripts/archive/archive_block.h"

#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_decode.h"
#include "kinds/transcripts/archive/archive_index.h"
#include "kinds/transcripts/products/claude/slugs.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

using jsonl::PullParser;

constexpr std::size_t kMaxBlockTextBytes = 4096;  // paths, hashes and words of the block

class BlockReader {
 public:
  BlockReader(PullParser& in, std::string_view session_id, const ArchiveLimits& limits, ArchiveBlock& block,
              std::vector<std::string>& warnings)
      : in_(in), limits_(limits), block_(block), warnings_(warnings) {
    place_.session_id = session_id;
  }

  Result<std::optional<std::string>> run() {
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(const auto key, in_.next_key());
      if (!key || *key == "raw" || *key == "extra_files") {
        HF_CHECK(check());
        return key;
      }
      if (!seen_.insert(*key).second) return fail(ErrorKind::corrupt, fmt::format("the block has \"{}\" twice", *key));
      HF_CHECK(member(*key));
    }
  }

 private:
  Result<void> member(const std::string& key) {
    if (key == "ext") {
      HF_TRY(const std::uint64_t ext, in_.count());
      if (ext != 1)
        return fail(ErrorKind::corrupt, fmt::format("the archive has an extension block of version {}", ext),
                    "a newer version of this program can read it", "unsupported");
      return {};
    }
    if (key == "product") return word(block_.product);
    if (key == "project_folder") return project_folder();
    if (key == "redacted") {
      HF_TRY(block_.redacted, in_.boolean());
      return {};
    }
    if (key == "slugs") return slugs();
    // Whether a path belongs to the session depends on where the session lies.
    const bool placed = seen_.contains("product") && seen_.contains("project_folder");
    if (key == "files" || key == "folders") {
      if (!placed) return fail(ErrorKind::corrupt, "the block names files before product and project_folder");
      return key == "files" ? list([this] { return file(); }) : list([this] { return folder(); });
    }
    if (key == "irregular") return by_path([this](std::string path) { return irregular(std::move(path)); });
    if (key == "tail") return by_path([this](std::string path) { return tail(std::move(path)); });
    if (key == "crlf") return list([this] { return crlf(); });
    if (warnings_.size() < kMaxWarnings)
      warnings_.push_back(fmt::format("unknown field holdfast.{}: ignored", to_valid_utf8(key)));
    return in_.skip();
  }

  Result<void> word(std::string& into) {
    HF_TRY(into, in_.text(kMaxBlockTextBytes));
    return {};
  }

  Result<void> project_folder() {
    HF_CHECK(word(block_.project_folder));
    const std::string& name = block_.project_folder;
    if (!name.empty() && (!is_safe_path(name) || name.contains('/')))
      return fail(ErrorKind::corrupt, "the archive names a project folder that cannot be one");
    place_.project_folder = name;
    return {};
  }

  template <class Each>
  Result<void> list(Each each) {
    HF_CHECK(in_.enter_array());
    for (;;) {
      HF_TRY(const bool another, in_.next_element());
      if (!another) return {};
      HF_CHECK(count_entry());
      HF_CHECK(each());
    }
  }

  template <class Each>
  Result<void> by_path(Each each) {
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(auto path, in_.next_key());
      if (!path) return {};
      HF_CHECK(count_entry());
      HF_CHECK(each(*std::move(path)));
    }
  }

  Result<void> count_entry() {
    if (++entries_ > limits_.max_entries)
      return fail(ErrorKind::too_large, fmt::format("the archive has more than {} entries", limits_.max_entries));
    return {};
  }

  Result<void> slugs() {
    return list([this]() -> Result<void> {
      std::string slug;
      HF_CHECK(word(slug));
      if (!is_safe_name(slug)) return fail(ErrorKind::corrupt, "the archive names a slug that cannot be a name");
      block_.slugs.push_back(std::move(slug));
      return {};
    });
  }

  Result<void> file() {
    ArchiveBlock::File file;
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(const auto key, in_.next_key());
      if (!key) break;
      if (*key == "path") {
        HF_CHECK(word(file.artifact.path));
      } else if (*key == "sha256") {
        HF_CHECK(word(file.sha256));
      } else if (*key == "bytes") {
        HF_TRY(file.artifact.size, in_.count());
      } else if (*key == "mode") {
        HF_TRY(const std::uint64_t mode, in_.count());
        file.artifact.mode = mode & 0777;
      } else if (*key == "mtime_ms") {
        HF_TRY(file.artifact.mtime, time());
      } else {
        HF_CHECK(in_.skip());
      }
    }
    const auto kind = is_safe_path(file.artifact.path) ? kind_of_path(file.artifact.path, place_) : std::nullopt;
    if (!kind) return no_part(file.artifact.path);
    file.artifact.kind = *kind;
    if (file.sha256.size() != 64 || !std::ranges::all_of(file.sha256, is_lower_hex))
      return fail(ErrorKind::corrupt, "the archive has no sha256 for " + file.artifact.path);
    if (!block_.by_path.emplace(file.artifact.path, block_.files.size()).second)
      return fail(ErrorKind::corrupt, "the archive names a file twice: " + file.artifact.path);
    block_.files.push_back(std::move(file));
    return {};
  }

  // Times before 1970 exist, and mean nothing here.
  Result<Millis> time() {
    HF_TRY(const std::string token, in_.scalar());
    const auto time = parse_time(token);
    return time ? *time : Millis{0};
  }

  Result<void> folder() {
    ArtifactFolder folder;
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(const auto key, in_.next_key());
      if (!key) break;
      if (*key == "path") {
        HF_CHECK(word(folder.path));
      } else if (*key == "mode") {
        HF_TRY(const std::uint64_t mode, in_.count());
        folder.mode = mode & 03777;
      } else {
        HF_CHECK(in_.skip());
      }
    }
    // A folder of the session is one in which any file would be the session's.
    if (!is_safe_path(folder.path) || !kind_of_path(folder.path + "/x", place_)) return no_part(folder.path);
    if (!folders_.insert(folder.path).second) return fail(ErrorKind::corrupt, "the archive names a folder twice: " + folder.path);
    block_.folders.push_back(std::move(folder));
    return {};
  }

  static std::unexpected<Error> no_part(std::string_view path) {
    constexpr std::size_t kShownBytes = 200;
    return fail(ErrorKind::corrupt, fmt::format("the archive names a path that is no part of its session: \"{}\"",
                                                to_valid_utf8(utf8_prefix(path, kShownBytes))));
  }

  Result<std::string> base64() {
    HF_TRY(const std::string text, in_.text(2 * kMaxBlockLineBytes));
    Base64Decoder decoder;
    std::string bytes;
    HF_CHECK(decoder.add(text, bytes));
    HF_CHECK(decoder.finish(bytes));
    line_bytes_ += bytes.size() + kIrregularCost;
    if (line_bytes_ > kMaxBlockLineBytes)
      return fail(ErrorKind::too_large, fmt::format("the archive has more than {} bytes of irregular lines", kMaxBlockLineBytes));
    return bytes;
  }

  Result<void> irregular(std::string path) {
    std::vector<IrregularLine> lines;
    HF_CHECK(in_.enter_array());
    for (;;) {
      HF_TRY(const bool another, in_.next_element());
      if (!another) break;
      IrregularLine line;
      HF_CHECK(in_.enter_object());
      for (;;) {
        HF_TRY(const auto key, in_.next_key());
        if (!key) break;
        if (*key == "line") {
          HF_TRY(line.line, in_.count());
        } else if (*key == "b64") {
          HF_TRY(line.bytes, base64());
        } else {
          HF_CHECK(in_.skip());
        }
      }
      const std::size_t newline = line.bytes.find('\n');
      const bool one_line = newline == std::string::npos || newline + 1 == line.bytes.size();
      if (line.line == 0 || (!lines.empty() && line.line <= lines.back().line) || !one_line)
        return fail(ErrorKind::corrupt, "the irregular lines are not in order: " + to_valid_utf8(path));
      lines.push_back(std::move(line));
    }
    if (!block_.irregular.emplace(std::move(path), std::move(lines)).second)
      return fail(ErrorKind::corrupt, "the block has irregular lines of one file twice");
    return {};
  }

  Result<void> tail(std::string path) {
    HF_TRY(std::string bytes, base64());
    if (bytes.empty() || bytes.contains('\n')) return fail(ErrorKind::corrupt, "a tail that is none: " + to_valid_utf8(path));
    if (!block_.tail.emplace(std::move(path), std::move(bytes)).second)
      return fail(ErrorKind::corrupt, "the block has the tail of one file twice");
    return {};
  }

  Result<void> crlf() {
    std::string path;
    HF_CHECK(word(path));
    block_.crlf.insert(std::move(path));
    return {};
  }

  Result<void> check() const {
    for (const char* needed : {"ext", "product", "project_folder", "files"})
      if (!seen_.contains(needed)) return fail(ErrorKind::corrupt, fmt::format("the block lacks \"{}\"", needed));
    const bool claude = block_.product == "claude" && !block_.project_folder.empty();
    const bool codex = block_.product == "codex" && block_.project_folder.empty();
    if (!claude && !codex)
      return fail(ErrorKind::corrupt, "the archive is of a product this version does not know", {}, "unsupported");
    const auto mains = std::ranges::count(block_.files, ArtifactKind::main_transcript,
                                          [](const ArchiveBlock::File& file) { return file.artifact.kind; });
    if (mains != 1) return fail(ErrorKind::corrupt, fmt::format("the archive names {} main transcripts", mains));
    const auto is_known = [this](const auto& path) { return block_.by_path.contains(path); };
    for (const auto& [path, lines] : block_.irregular)
      if (!is_known(path)) return no_part(path);
    for (const auto& [path, bytes] : block_.tail)
      if (!is_known(path)) return no_part(path);
    for (const std::string& path : block_.crlf)
      if (!is_known(path)) return no_part(path);
    return {};
  }

  PullParser& in_;
  const ArchiveLimits& limits_;
  ArchiveBlock& block_;
  std::vector<std::string>& warnings_;
  SessionPlace place_;
  std::set<std::string, std::less<>> seen_, folders_;
  std::uint64_t entries_ = 0;
  std::size_t line_bytes_ = 0;
};

}  // namespace

const ArchiveBlock::File* ArchiveBlock::main() const {
  const auto found = std::ranges::find(files, ArtifactKind::main_transcript, [](const File& file) { return file.artifact.kind; });
  return found == files.end() ? nullptr : &*found;
}

Result<std::optional<std::string>> read_block(PullParser& in, std::string_view session_id, const ArchiveLimits& limits,
                                              ArchiveBlock& block, std::vector<std::string>& warnings) {
  return BlockReader(in, session_id, limits, block, warnings).run();
}

}  // namespace holdfast::transcripts
