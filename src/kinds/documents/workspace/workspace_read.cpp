// Sessions and reading (document-review §5 `create_session`, `read`).

#include "base/text/text.h"
#include "kinds/documents/text/numbered_lines.h"
#include "kinds/documents/text/views.h"
#include "kinds/documents/workspace/workspace_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::documents {

namespace {

constexpr std::size_t kMaxShownBytes = 60'000;    // §12: well under what clients hand to a model
constexpr std::size_t kMaxLineBytes = 1'000'000;  // a line is shown whole; a longer one is data, not text
constexpr std::size_t kMaxPendingShown = 100;     // list_changes has all of them
constexpr std::size_t kIntroCharacters = 4000;    // §12
constexpr std::string_view kIntro = "AI Guide/_intro.md";

// Comments of the notes' author for people: %% ... %%.
std::string without_comments(std::string_view text) {
  constexpr std::string_view kMark = "%%";
  std::string out;
  while (true) {
    const std::size_t begin = text.find(kMark);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(kMark, begin + kMark.size());
    if (end == std::string_view::npos) return out.append(text);
    out += text.substr(0, begin);
    text.remove_prefix(end + kMark.size());
  }
}

// Only what people have agreed to steers a model: the base view.
std::string intro_of(WorkspaceState& workspace, const LibraryFolder& folder, bool several) {
  const std::string path = several ? fmt::format("{}/{}", folder.name, kIntro) : std::string(kIntro);
  const auto place = workspace.library->find(path);
  if (!place || place->is_folder) return {};
  const auto file = read_document(*workspace.library, *place);
  if (!file) return {};
  const std::string notes = without_comments(view_of(file->bytes, Side::base));
  const std::string_view text = trim(notes);
  if (utf8_length(text) <= kIntroCharacters) return std::string(text);
  std::size_t bytes = 0, characters = 0;
  while (characters <= kIntroCharacters && bytes < text.size()) {
    ++bytes;
    if (bytes == text.size() || (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80) ++characters;
    if (characters == kIntroCharacters) break;
  }
  return fmt::format("{}\n[cut here: read \"{}\" for the rest]", text.substr(0, bytes), path);
}

Result<void> check_read(const ReadRequest& request) {
  if (request.view != "accepted" && request.view != "base" && request.view != "raw")
    return fail(ErrorKind::invalid, fmt::format("view is \"{}\"", request.view), "use accepted, base or raw", "bad_argument");
  if (request.offset < 0 || request.limit < 1)
    return fail(ErrorKind::invalid, "offset and limit count lines from 1", "leave them out to begin at the first",
                "bad_argument");
  return {};
}

// The last line that still fits, at least the first.
Result<LineRange> shown_range(const std::vector<std::string_view>& lines, const ReadRequest& request) {
  LineRange range{static_cast<std::size_t>(std::max<std::int64_t>(request.offset, 1)), 0};
  std::size_t bytes = 0;
  const std::size_t wanted = static_cast<std::size_t>(request.limit);
  for (std::size_t number = range.first; number <= lines.size() && number - range.first < wanted; ++number) {
    constexpr std::size_t kNumberBytes = 8;
    bytes += lines[number - 1].size() + kNumberBytes;
    if (bytes > kMaxShownBytes && number > range.first) break;
    range.last = number;
  }
  if (range.last == range.first && lines[range.first - 1].size() > kMaxLineBytes)
    return fail(ErrorKind::too_large, fmt::format("line {} alone has {} bytes", range.first, lines[range.first - 1].size()),
                "use grep to find what you need in it", "too_large");
  return range;
}

// In front of the text: a document that is to go says so in its first line.
std::string headnote(WorkspaceState& workspace, const std::vector<Proposal>& proposals) {
  for (const Proposal& proposal : proposals)
    if (proposal.kind == Proposal::Kind::remove)
      return fmt::format("[to be deleted: {} proposes to delete this file ({}, {} ago); it stays until a person decides]\n",
                         proposal.id, proposal.author, short_age(proposal.time, workspace.clock.now()));
  return {};
}

// The blocks behind the text.
std::string footnotes(WorkspaceState& workspace, const Place& place, const Sight& sight, const std::vector<Proposal>& proposals,
                      std::string_view shown) {
  std::string text;
  if (const auto ends = unseen_line_ends(shown); !ends.empty()) text += fmt::format("\n[eol: {}]", ends);
  std::vector<PendingChange> pending;
  if (place.reviewed && has_pending(sight.file.bytes)) pending = pending_in(sight.file.bytes);
  // Comments and highlights are content (§6.1): they stand in the text.
  std::erase_if(pending, is_remark);
  for (const Proposal& proposal : proposals) {
    PendingChange change;
    change.id = proposal.id;
    change.kind = name_of(proposal.kind);
    change.author = proposal.author;
    change.time = proposal.time;
    change.stale = proposal.kind != Proposal::Kind::create && proposal.base_version != sight.file.version;
    pending.push_back(std::move(change));
  }
  if (pending.empty()) return text;
  text += fmt::format("\n[pending: {}]", pending.size());
  for (std::size_t i = 0; i < std::min(pending.size(), kMaxPendingShown); ++i)
    text += fmt::format("\n  {}", one_line(pending[i], workspace.clock.now()));
  if (pending.size() > kMaxPendingShown)
    text += fmt::format("\n  ... and {} more: list_changes shows them", pending.size() - kMaxPendingShown);
  return text;
}

}  // namespace

Result<std::string> create_session(WorkspaceState& workspace, const Asker& asker, std::string_view name, std::string_view model,
                                   std::string_view resume) {
  HandleRequest request = handle_request(asker);
  request.name = name;
  request.model = model;
  request.resume = resume;
  HF_TRY(const Opened opened, workspace.handles.create(request));
  std::string text = opened.handle;
  const auto& folders = workspace.library->settings().folders;
  for (const LibraryFolder& folder : folders)
    if (const std::string intro = intro_of(workspace, folder, workspace.library->settings().names_folders()); !intro.empty())
      text += "\n\n" + intro;
  return with_trailer(std::move(text), opened);
}

Result<std::string> read(WorkspaceState& workspace, const Asker& asker, const ReadRequest& request) {
  HF_CHECK(check_read(request));
  Opened opened;
  if (!asker.session_id.empty()) {
    HF_TRY(opened, workspace.handles.open(asker.who(), asker.session_id));
    opened.handle = asker.session_id;  // shown again: a context that was compacted finds it here
  }
  HF_TRY(const Place place, find_document(workspace, request.file_path));
  HF_TRY(const Sight sight, look_at(workspace, place, kMaxReadBytes));
  const std::string text = view_text(place, sight, request.view);
  const std::vector<std::string_view> lines =
      lines_of(std::string_view(text).substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0));
  if (request.offset > 1 && static_cast<std::size_t>(request.offset) > lines.size())
    return fail(ErrorKind::invalid,
                fmt::format("offset {} is past the end: {} has {} lines", request.offset, place.path, lines.size()),
                "use a smaller offset", "bad_argument");
  std::string out;
  LineRange range{1, 0};
  if (!lines.empty()) {
    HF_TRY(range, shown_range(lines, request));
    out = numbered(lines, range);
  }
  std::string blocks;
  if (range.last < lines.size())
    blocks +=
        fmt::format("\n[lines {}-{} of {}; continue with offset {}]", range.first, range.last, lines.size(), range.last + 1);
  HF_TRY(const auto proposals, workspace.proposals.of(place.key));
  blocks += footnotes(workspace, place, sight, proposals, text);
  // What expected_version of edit takes.
  blocks += fmt::format("\n[version: {}]", sight.file.version.substr(0, kShownVersion));
  out = headnote(workspace, proposals) + out + (out.empty() ? blocks.substr(1) : "\n" + blocks);
  if (asker.session_id.empty()) {
    HF_TRY(opened, workspace.handles.create_shared(handle_request(asker)));
  }
  HF_CHECK(workspace.handles.note_read(opened, place,
                                       {sight.file.version, static_cast<std::int64_t>(range.first),
                                        static_cast<std::int64_t>(range.last), workspace.clock.now()}));
  return with_trailer(std::move(out), opened);
}

}  // namespace holdfast::documents
