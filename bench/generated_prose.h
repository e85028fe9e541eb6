#pragma once

// For benchmarks: the text of generated transcripts, of one session after another.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// SplitMix64: numbers that are the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

class Prose {
 public:
  explicit Prose(std::uint64_t seed);

  std::string_view word(Draw& draw) const;                               // about 1/rank
  void sentence(Draw& draw, std::string& to) const;                      // ends with ". "
  void paragraph(Draw& draw, std::size_t words, std::string& to) const;  // prose, or now and then Chinese
  void chinese(Draw& draw, std::size_t characters, std::string& to) const;
  std::string identifier(Draw& draw) const;  // retry_policy, RetryPolicy
  std::string path(Draw& draw) const;        // "src/retry/policy_table.cpp"
  void code(Draw& draw, std::size_t lines, std::string& to) const;
  void log(Draw& draw, std::size_t lines, std::string& to) const;
  static std::string hex(Draw& draw, std::size_t digits);
  static std::string base64(Draw& draw, std::size_t bytes);

 private:
  std::vector<std::string> words_;
  std::vector<std::uint32_t> ranks_;  // 1 << 16 draws of a Zipf distribution
  std::vector<std::string> phrases_;
  std::vector<std::string> chinese_words_;
};

}  // namespace holdfast::bench
