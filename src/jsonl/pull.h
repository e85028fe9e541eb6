#pragma once

// A JSON document of any size, taken apart from front to back while it is being read.
//
// For documents that are too large to hold and come from strangers: archives. The caller descends by what it expects, and takes
// each value in the way that fits it: small texts and numbers whole, long texts in pieces, records as the very bytes they are,
// the rest passed over. Memory is that of the read buffer and of the largest value taken whole.
//
//   PullParser in(source);
//   HF_CHECK(in.enter_object());
//   for (;;) {
//     HF_TRY(const auto key, in.next_key());
//     if (!key) break;
//     if (*key == "version") { HF_TRY(version, in.text(kMaxVersion)); }
//     else HF_CHECK(in.skip());
//   }
//   HF_CHECK(in.finish());
//
// After every key and element exactly one value is to be taken. All errors name the byte where it went wrong: corrupt (not JSON,
// or not of the kind that was asked for), too_large (a limit of the call), those of the source; after an error the parser is of
// no further use. One thread at a time.

#include "base/result.h"
#include "jsonl/limits.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::jsonl {

enum class ValueKind { object, array, string, number, boolean, null };

class PullParser {
 public:
  using Source = std::function<Result<std::size_t>(char* to, std::size_t room)>;  // 0: the end
  using Sink = std::function<Result<void>(std::string_view)>;

  // Names longer than this are no names of any format we read.
  static constexpr std::size_t kMaxKeyBytes = 64 * 1024;

  explicit PullParser(Source source);

  std::uint64_t offset() const { return offset_ + begin_; }  // of the next byte, in the document

  Result<ValueKind> kind();  // of the value that comes; looks no further than its first byte

  Result<void> enter_object();
  // The next member's name, what it means; nullopt: the object is over, and left.
  Result<std::optional<std::string>> next_key(std::size_t max_bytes = kMaxKeyBytes);
  Result<void> enter_array();
  Result<bool> next_element();  // false: the array is over, and left

  // A string's meaning. Half a surrogate pair becomes U+FFFD; bytes that are not UTF-8 are passed on.
  Result<std::string> text(std::size_t max_bytes);
  Result<void> text(const Sink& sink);  // in pieces of some 64 KiB
  Result<std::string> scalar();         // a number or word, as spelled
  Result<std::uint64_t> count();        // a whole number from 0 on
  Result<bool> boolean();
  Result<void> null();
  Result<void> skip();  // any value, its grammar checked

  // The bytes of the value as they stand there, blanks inside included; valid until the next call. Only strings and brackets are
  // checked: ask a Scanner about the rest.
  Result<std::string_view> span(std::size_t max_bytes);

  // For documents known to have one value a line: what comes up to the next newline (not included) or the end, not taken yet;
  // nullopt when that is further away than max_bytes. Valid until the next call but take(). A caller that finds a whole value at
  // its beginning takes that many bytes as the value.
  Result<std::optional<std::string_view>> rest_of_line(std::size_t max_bytes);
  void take(std::size_t bytes) { begin_ += bytes; }

  // Nothing but white space is left, and every object and array has been left.
  Result<void> finish();

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  std::unexpected<Error> broken(std::string_view what) const;
  Result<bool> more();                   // reads on; false at the end
  Result<bool> have(std::size_t bytes);  // that many are in the buffer; false: the document is shorter
  Result<char> next_token();             // the first byte that is not blank, not taken
  Result<void> expect(char c, std::string_view what);
  Result<void> enter(char bracket);
  Result<bool> next_item();                   // behind a value or at the beginning: is there another
  Result<bool> text_piece(std::string& out);  // false: the closing quote is taken
  Result<void> escape(std::string& out);
  Result<std::uint32_t> hex_digits(std::size_t at) const;

  Source source_;
  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // buffer_[begin_, end_) is read and not taken
  std::uint64_t offset_ = 0;         // of buffer_[0]
  bool at_end_ = false;
  struct Level {
    bool object = false;
    bool started = false;  // a member or element has been seen
  };
  std::vector<Level> levels_;
};

}  // namespace holdfast::jsonl
