#include "kinds/transcripts/archive/archive_opening.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_index.h"
#include "kinds/transcripts/archive/archive_members.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::transcripts {
namespace {

using jsonl::PullParser;
using jsonl::ValueKind;

constexpr std::size_t kMaxTextBytes = 64 * 1024;  // of a title or a path
constexpr std::array<std::string_view, 7> kHeaderNames = {
    "version", "session_id", "archived_at", "original_project_path", "claude_code_version", "machine_id", "custom_title"};
constexpr std::array<std::string_view, 2> kTotals = {"total_session_records", "total_agent_records"};
constexpr std::string_view kUnknownProject = "-";  // the folder of a session whose project nobody knows
constexpr std::string_view kNewestMinor = "4";

class Opening {
 public:
  Opening(PullParser& in, const ArchiveLimits& limits) : in_(in), limits_(limits) {}

  Result<ArchiveOpening> run() {
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(const auto key, in_.next_key());
      if (!key) {
        HF_CHECK(in_.finish());
        break;
      }
      if (!seen_.insert(*key).second)
        return fail(ErrorKind::corrupt, fmt::format("the archive has \"{}\" twice", to_valid_utf8(*key)));
      if (seen_.size() > limits_.max_entries) return fail(ErrorKind::too_large, "the archive has too many members");
      HF_TRY(const bool enough, member(*key));
      if (enough) break;
    }
    HF_CHECK(check());
    return std::move(opening_);
  }

 private:
  // True: nothing that follows is needed.
  Result<bool> member(const std::string& key) {
    const auto found = std::ranges::find(kHeaderNames, key);
    if (found != kHeaderNames.end()) {
      HF_CHECK(header_text(static_cast<std::size_t>(found - kHeaderNames.begin())));
      return false;
    }
    const bool complete = std::ranges::all_of(kHeaderNames, [&](std::string_view name) { return seen_.contains(name); });
    if (key != "holdfast") {
      const bool has_files = is_file_member(key);
      if (complete && has_files) return true;
      files_before_block_ |= has_files;
      HF_CHECK(in_.skip());
      return false;
    }
    if (!seen_.contains("session_id") || files_before_block_)
      return fail(ErrorKind::corrupt, "the block \"holdfast\" must stand before the files it describes");
    HF_CHECK(check_version());
    opening_.block.emplace();
    HF_TRY(const auto streamed, read_block(in_, opening_.header.session_id, limits_, *opening_.block, opening_.warnings));
    if (complete) return true;
    if (streamed) HF_CHECK(rest_of_block());
    return false;
  }

  Result<void> rest_of_block() {
    for (;;) {
      HF_CHECK(in_.skip());
      HF_TRY(const auto key, in_.next_key());
      if (!key) return {};
    }
  }

  Result<void> header_text(std::size_t which) {
    ArchiveHeader& header = opening_.header;
    const std::array<std::string*, kHeaderNames.size()> fields = {
        &header.version,    &header.session_id,   &header.archived_at, &header.original_project_path, &header.claude_code_version,
        &header.machine_id, &header.custom_title,
    };
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind == ValueKind::null) return in_.null();
    HF_TRY(const std::string text, in_.text(kMaxTextBytes));
    *fields[which] = to_valid_utf8(text);
    return {};
  }

  Result<void> check_version() {
    const std::string& version = opening_.header.version;
    const std::size_t dot = version.find('.');
    const std::string_view major = std::string_view(version).substr(0, dot);
    if (version.empty() || dot == version.npos) return fail(ErrorKind::corrupt, "this is no archive: it has no format version");
    if (major != "1" && major != "2") {
      return fail(ErrorKind::corrupt, fmt::format("archive format {} is not known", shorten(version, 40)),
                  "versions 1 and 2 are; a newer version of this program may read it", "unsupported");
    }
    const std::string_view minor = std::string_view(version).substr(dot + 1);
    const bool known = minor.size() == 1 && minor >= "0" && minor <= kNewestMinor;
    if (!known && opening_.warnings.empty())
      opening_.warnings.push_back(
          fmt::format("archive format {} is newer than this program: parts of it may be missed", shorten(version, 40)));
    return {};
  }

  Result<void> check() {
    ArchiveHeader& header = opening_.header;
    if (!opening_.block) HF_CHECK(check_version());
    if (!is_uuid(header.session_id)) return fail(ErrorKind::corrupt, "the archive names no session: session_id is not a UUID");
    opening_.place.session_id = header.session_id;
    if (opening_.block) {
      header.byte_true = true;
      header.product = opening_.block->product;
      header.redacted = opening_.block->redacted;
      header.project_folder = opening_.block->project_folder;
      opening_.place.project_folder = header.project_folder;
    } else {
      header.product = "claude";
      opening_.place.project_folder =
          header.original_project_path.empty() ? std::string(kUnknownProject) : project_folder_name(header.original_project_path);
    }
    return {};
  }

  PullParser& in_;
  const ArchiveLimits& limits_;
  ArchiveOpening opening_;
  std::set<std::string, std::less<>> seen_;
  bool files_before_block_ = false;
};

}  // namespace

Result<ArchiveOpening> read_opening(PullParser& in, const ArchiveLimits& limits) {
  return Opening(in, limits).run();
}

bool is_header_member(std::string_view name) {
  return std::ranges::find(kHeaderNames, name) != kHeaderNames.end() || std::ranges::find(kTotals, name) != kTotals.end();
}

}  // namespace holdfast::transcripts
