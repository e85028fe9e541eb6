#include "kinds/transcripts/products/claude/native_forks.h"

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "jsonl/scan.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

// The first record that was copied is in it, unless somebody began with an image; then the fork is not recognised.
constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::string_view kForkedFrom = "forkedFrom";

std::string_view head_of(int fd, std::string& buffer) {
  buffer.resize(kHeadBytes);
  ssize_t got = 0;
  do {
    got = ::pread(fd, buffer.data(), buffer.size(), 0);
  } while (got < 0 && errno == EINTR);
  return std::string_view(buffer).substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
}

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

class Looking {
 public:
  explicit Looking(const Home& home) : home_(home) {}

  std::optional<std::string> parent_of(const FoundSession& session) {
    const auto fd = home_.open_file(session.place.transcript());
    if (!fd) return std::nullopt;
    std::string_view head = head_of(fd->get(), buffer_);
    if (find_bytes(head, kForkedFrom) == head.npos) return std::nullopt;
    // The last line may be cut off; then it is not JSON, and says nothing.
    while (!head.empty()) {
      const std::size_t end = std::min(head.find('\n'), head.size());
      auto parent = parent_in(head.substr(0, end), scanner_);
      if (parent && *parent != session.place.session_id) return parent;
      head.remove_prefix(std::min(end + 1, head.size()));
    }
    return std::nullopt;
  }

 private:
  const Home& home_;
  std::string buffer_;
  jsonl::Scanner scanner_;
};

}  // namespace

std::optional<std::string> forked_from(const Home& home, const FoundSession& session) {
  return Looking(home).parent_of(session);
}

Result<std::vector<NativeFork>> native_forks(const Home& home) {
  HF_TRY(const auto sessions, all_sessions(home));
  Looking looking(home);
  std::vector<NativeFork> forks;
  for (const FoundSession& session : sessions)
    if (auto parent = looking.parent_of(session)) forks.push_back({session.place.session_id, *std::move(parent)});
  return forks;
}

}  // namespace holdfast::transcripts
