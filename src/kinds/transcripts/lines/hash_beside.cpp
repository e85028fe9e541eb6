#include "kinds/transcripts/lines/hash_beside.h"

#include "kinds/transcripts/lines/read_ahead.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace holdfast::transcripts {

namespace {

class HashingSource {
 public:
  HashingSource(int fd, std::uint64_t from, std::uint64_t to) : fd_(fd), at_(from), to_(to) {}

  Result<std::size_t> read(char* into, std::size_t room) {
    const std::size_t wanted = std::min<std::uint64_t>(room, to_ - at_);
    if (wanted == 0) return 0;
    for (;;) {
      const ssize_t got = ::pread(fd_, into, wanted, static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading lines", errno));
      if (got == 0) return fail(ErrorKind::conflict, "a file was cut while it was read", "try again when nothing rewrites it");
      hash_.add({into, static_cast<std::size_t>(got)});
      at_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }
  Digest digest() { return hash_.finish(); }

 private:
  int fd_;
  std::uint64_t at_, to_;
  Sha256 hash_;
};

}  // namespace

Result<Digest> each_hashed_line(int fd, std::uint64_t from, std::uint64_t to,
                                const std::function<Result<void>(const jsonl::Line&)>& take) {
  HashingSource source(fd, from, to);
  std::unique_ptr<ReadAhead> ahead;  // behind the source: its thread ends first
  if (to - from >= kReadAheadFrom)
    ahead = std::make_unique<ReadAhead>([&](char* into, std::size_t room) { return source.read(into, room); });

  auto lines = jsonl::LineReader::of_source(
      [&](char* into, std::size_t room) { return ahead ? ahead->read(into, room) : source.read(into, room); });
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) break;
    HF_CHECK(take(*line));
  }
  ahead.reset();
  return source.digest();
}

namespace {

constexpr std::size_t kHashBlockBytes = 256 * 1024;  // large enough that handing one over does not show
constexpr std::size_t kHashBlocks = 4;               // one being filled, one being hashed, two in case either is late

}  // namespace

struct HashBeside::State {
  std::string& current() { return blocks[filled % kHashBlocks]; }

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      std::string& block = current();
      const std::string_view part = bytes.substr(0, kHashBlockBytes - block.size());
      block += part;
      bytes.remove_prefix(part.size());
      if (block.size() == kHashBlockBytes) share();
    }
  }

  // The full block to the thread; the next one is free then.
  void share() {
    if (!thread && !start()) {
      hash.add(current());
      current().clear();
      return;
    }
    std::unique_lock lock(mutex);
    ++filled;
    changed.notify_all();
    changed.wait(lock, [this] { return filled - hashed < kHashBlocks; });
    current().clear();
  }

  // False when there is no thread to be had: then the caller hashes.
  bool start() {
    try {
      thread.emplace([this](const std::stop_token& stop) { work(stop); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void work(const std::stop_token& stop) {
    for (;;) {
      const std::string* block = nullptr;
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [this] { return hashed < filled; })) return;
        block = &blocks[hashed % kHashBlocks];
      }
      hash.add(*block);
      {
        const std::lock_guard lock(mutex);
        ++hashed;
      }
      changed.notify_all();
    }
  }

  Digest finish() {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return hashed == filled; });
    }
    hash.add(current());
    current().clear();
    return hash.finish();
  }

  Sha256 hash;                                  // of the thread while it is behind, else of the caller
  std::array<std::string, kHashBlocks> blocks;  // number n in n % kHashBlocks
  std::size_t filled = 0;                       // written by the caller alone, guarded by mutex for the thread
  std::size_t hashed = 0;                       // guarded by mutex
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<std::jthread> thread;  // last: it stops before anything it uses goes
};

HashBeside::HashBeside() : state_(std::make_unique<State>()) {}
HashBeside::~HashBeside() = default;

void HashBeside::add(std::string_view bytes) {
  state_->add(bytes);
}

Digest HashBeside::finish() {
  return state_->finish();
}

}  // namespace holdfast::transcripts
