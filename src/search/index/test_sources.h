#pragma once

// For tests: sources in memory that grow, are replaced and vanish.

#include "search/index/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::search {

struct TestPassage {
  PassageRole role = PassageRole::user;
  Millis time = 0;
  std::string text;
  std::vector<std::string> attributes;
};

class TestSources final : public PassageSources {
 public:
  using Line = std::vector<TestPassage>;
  struct Contents {
    std::vector<Line> lines;
    int incarnation = 1;
    std::uint64_t stamp = 0;  // to be changed by who changes something else than the end
    std::uint64_t torn = 0;   // bytes behind the last whole line
    bool rows = false;
  };

  // Bytes of a line: what its passages have, and what stands around them.
  static std::uint64_t size_of(const Contents& contents, const Line& line) {
    if (contents.rows) return 1;
    std::uint64_t size = 40;
    for (const TestPassage& passage : line) size += passage.text.size() + 20;
    return size;
  }

  std::map<std::string, Contents> contents;
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<int> reads = 0, proofs = 0;
  std::string forbidden;  // a key that may not be read

  void add(const std::string& key, std::string text, Millis time = 1000, PassageRole role = PassageRole::user,
           std::vector<std::string> attributes = {}) {
    contents[key].lines.push_back({{role, time, std::move(text), std::move(attributes)}});
  }

  // The same object as long as nothing has changed, as those of transcripts do.
  Result<SourceList> list() override {
    std::vector<Source> sources;
    for (const auto& [key, content] : contents) {
      Source source;
      source.key = key;
      source.session = key.substr(0, key.find('/'));
      source.kind = "transcript";
      source.project = "/p";
      source.incarnation = fmt::format("{}", content.incarnation);
      for (const Line& line : content.lines) {
        source.size += size_of(content, line);
        for (const TestPassage& passage : line) source.changed_at = std::max(source.changed_at, passage.time);
      }
      source.size += content.torn;
      source.rows = content.rows;
      source.stamp = content.stamp + (content.lines.size() << 20);
      sources.push_back(std::move(source));
    }
    const auto is_same = [](const Source& a, const Source& b) {
      return a.key == b.key && a.size == b.size && a.stamp == b.stamp && a.incarnation == b.incarnation;
    };
    const std::lock_guard lock(listing_);
    if (!listed_ || !std::ranges::equal(*listed_, sources, is_same))
      listed_ = std::make_shared<const std::vector<Source>>(std::move(sources));
    return listed_;
  }

  Result<std::uint64_t> proof(const Source& source, std::uint64_t offset) override {
    ++proofs;
    const Contents& content = contents[source.key];
    if (content.rows) return 0;
    std::string before;
    for (const Line& line : content.lines) {
      for (const TestPassage& passage : line) before += passage.text;
      if (offset <= size_of(content, line)) break;
      offset -= size_of(content, line);
    }
    return std::hash<std::string>()(before) | 1;
  }

  Result<Position> read(const Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const Passage&)>& take) override {
    const auto found = contents.find(source.key);
    if (found == contents.end()) return fail(ErrorKind::not_found, source.key);
    if (source.key == forbidden) return fail(ErrorKind::refused, source.key + ": permission denied");
    ++reads;
    std::uint64_t offset = 0, number = 1;
    for (const Line& line : found->second.lines) {
      const std::uint64_t end = offset + size_of(found->second, line);
      if (offset >= to) break;
      if (offset >= from.offset) {
        if (offset == from.offset && number != from.line) return fail(ErrorKind::internal, "wrong number of a line");
        bytes_read += end - offset;
        for (const TestPassage& item : line) {
          const std::vector<std::string_view> attributes(item.attributes.begin(), item.attributes.end());
          Passage passage;
          passage.line_begin = offset;
          passage.line_end = end;
          passage.line = number;
          passage.role = item.role;
          passage.time = item.time;
          passage.text = item.text;
          passage.attributes = attributes;
          if (!take(passage)) return Position{end, number + 1};
        }
      }
      offset = end;
      ++number;
    }
    return Position{std::max(offset, from.offset), std::max(number, from.line)};
  }

 private:
  std::mutex listing_;
  SourceList listed_;
};

}  // namespace holdfast::search
