#pragma once

// Bytes of a file as the inside of a JSON string, piece by piece. Internal to the archive writer.

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

// As text. Pieces may cut characters; the same pieces give the same output.
class TextEncoder {
 public:
  void add(std::string_view bytes, std::string& out);
  void finish(std::string& out);
  bool exact() const { return exact_; }  // false: something was not UTF-8 and became U+FFFD

 private:
  void encode(std::string_view bytes, std::string& out);

  std::string held_;  // the beginning of a character that the last piece cut
  std::string scratch_;
  bool exact_ = true;
};

class Base64Encoder {
 public:
  enum class Alphabet { standard, url };  // both padded
  explicit Base64Encoder(Alphabet alphabet) : alphabet_(alphabet) {}

  void add(std::string_view bytes, std::string& out);
  void finish(std::string& out);
  static std::uint64_t length_of(std::uint64_t bytes) { return (bytes + 2) / 3 * 4; }

 private:
  void encode(std::string_view bytes, std::string& out);

  Alphabet alphabet_;
  std::string held_;  // fewer than three bytes
};

}  // namespace holdfast::transcripts
