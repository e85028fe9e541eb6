#include "kinds/transcripts/products/claude/native_forks.h"

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "jsonl/scan.h"

#include <array>

namespace holdfast::transcripts {
namespace {

// The first record that was copied is in it, unless somebody began with an image; then the fork is not recognised.
constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::string_view kForkedFrom = "forkedFrom";

std::optional<std::string> parent_in(std::string_view record, jsonl::Scanner& scanner) {
  static constexpr std::array<std::string_view, 1> kRecord{kForkedFrom}, kFork{"sessionId"};
  std::array<jsonl::Token, 1> found;
  scanner.fields(record, kRecord, found);
  if (found[0].kind != jsonl::TokenKind::object) return std::nullopt;
  const std::string_view fork = found[0].raw;
  scanner.fields(fork, kFork, found);
  std::string parent = found[0].text();
  if (!is_uuid(parent)) return std::nullopt;
  return parent;
}

std::optional<std::string> parent_in_head(const reading::ByteSource& transcript, std::string_view session_id, std::string& buffer,
                                          jsonl::Scanner& scanner) {
  buffer.resize(kHeadBytes);
  const auto got = transcript.read(0, buffer);
  std::string_view head = std::string_view(buffer).substr(0, got.value_or(0));
  if (find_bytes(head, kForkedFrom) == head.npos) return std::nullopt;
  // The last line may be cut off; then it is not JSON, and says nothing.
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    auto parent = parent_in(head.substr(0, end), scanner);
    if (parent && *parent != session_id) return parent;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> forked_from(const reading::ByteSource& transcript, std::string_view session_id) {
  std::string buffer;
  jsonl::Scanner scanner;
  return parent_in_head(transcript, session_id, buffer, scanner);
}

Result<std::vector<NativeFork>> native_forks(const Home& home) {
  HF_TRY(const auto sessions, all_sessions(home));
  std::string buffer;
  jsonl::Scanner scanner;
  std::vector<NativeFork> forks;
  for (const FoundSession& session : sessions) {
    auto file = home.open_file(session.place.transcript());
    const auto bytes = file ? reading::file_source(*std::move(file)) : Result<reading::ByteSource>(fail(file.error()));
    if (!bytes) continue;
    if (auto parent = parent_in_head(*bytes, session.place.session_id, buffer, scanner))
      forks.push_back({session.place.session_id, *std::move(parent)});
  }
  return forks;
}

}  // namespace holdfast::transcripts
