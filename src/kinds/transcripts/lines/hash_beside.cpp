#include "kinds/transcripts/lines/hash_beside.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace holdfast::transcripts {

namespace {

constexpr std::size_t kAheadBlockBytes = 512 * 1024;  // large enough that handing one over does not show
constexpr std::size_t kAheadBlocks = 4;               // ahead; more would only cost memory

}  // namespace

struct ReadAhead::State {
  explicit State(Source from) : source(std::move(from)) {
    for (auto& block : blocks) block.bytes.resize(kAheadBlockBytes);
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
    std::optional<Error> error;
  };

  void run(const std::stop_token& stop) {
    for (std::size_t next = 0; !stop.stop_requested(); next = (next + 1) % kAheadBlocks) {
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [this] { return filled < kAheadBlocks; })) return;
      }
      Block& block = blocks[next];
      block.size = 0;
      bool last = false;
      while (block.size < block.bytes.size() && !last) {
        auto got = source(block.bytes.data() + block.size, block.bytes.size() - block.size);
        if (!got) block.error = std::move(got).error();
        last = !got || *got == 0;
        if (got) block.size += *got;
      }
      {
        const std::lock_guard lock(mutex);
        ++filled;
        ended = last;
      }
      changed.notify_all();
      if (last) return;
    }
  }

  Result<std::size_t> read(char* to, std::size_t room) {
    for (;;) {
      Block& block = blocks[current];
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return filled > 0 || ended; });
        if (filled == 0) return 0;
      }
      if (taken < block.size) {
        const std::size_t count = std::min(room, block.size - taken);
        std::memcpy(to, block.bytes.data() + taken, count);
        taken += count;
        return count;
      }
      if (block.error) return fail(*block.error);  // stays the last word
      {
        const std::lock_guard lock(mutex);
        --filled;
      }
      changed.notify_all();
      current = (current + 1) % kAheadBlocks;
      taken = 0;
    }
  }

  Source source;
  std::array<Block, kAheadBlocks> blocks;  // `filled` of them from `current` on belong to the reader, the others to the thread
  std::size_t current = 0, taken = 0;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::size_t filled = 0;  // guarded by mutex
  bool ended = false;      // guarded by mutex
  std::jthread thread;     // last: stops before anything it uses goes
};

ReadAhead::ReadAhead(Source source) : state_(std::make_unique<State>(std::move(source))) {}
ReadAhead::~ReadAhead() = default;

Result<std::size_t> ReadAhead::read(char* to, std::size_t room) {
  return state_->read(to, room);
}

namespace {

class HashingSource {
 public:
  explicit HashingSource(const reading::ByteSource& bytes) : bytes_(bytes) {}

  Result<std::size_t> read(char* into, std::size_t room) {
    const std::size_t wanted = std::min<std::uint64_t>(room, bytes_.size - at_);
    if (wanted == 0) return 0;
    HF_TRY(const std::size_t got, bytes_.read(at_, std::span(into, wanted)));
    if (got == 0) return fail(ErrorKind::conflict, "a file was cut while it was read", "try again when nothing rewrites it");
    hash_.add({into, got});
    at_ += got;
    return got;
  }
  Digest digest() { return hash_.finish(); }

 private:
  const reading::ByteSource& bytes_;
  std::uint64_t at_ = 0;
  Sha256 hash_;
};

}  // namespace

Result<Digest> each_hashed_line(const reading::ByteSource& bytes, const std::function<Result<void>(const jsonl::Line&)>& take) {
  HashingSource source(bytes);
  std::unique_ptr<ReadAhead> ahead;  // behind the source: its thread ends first
  if (bytes.size >= kReadAheadFrom)
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
