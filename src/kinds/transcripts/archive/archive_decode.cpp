#include "kinds/transcripts/archive/archive_decode.h"

#include "base/crypto/hash.h"

namespace holdfast::transcripts {
namespace {

std::unexpected<Error> damaged(Error error) {
  error.kind = ErrorKind::corrupt;
  return fail(std::move(error));
}

}  // namespace

Result<void> Base64Decoder::add(std::string_view text, std::string& out) {
  waiting_.reserve(waiting_.size() + text.size());
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    waiting_ += c == '-' ? '+' : c == '_' ? '/' : c;
  }
  const std::size_t whole = waiting_.size() / 4 * 4;
  if (whole == 0) return {};
  if (ended_) return fail(ErrorKind::corrupt, "not valid base64: something behind its padding");
  ended_ = waiting_[whole - 1] == '=';
  auto bytes = from_base64(std::string_view(waiting_).substr(0, whole));
  if (!bytes) return damaged(std::move(bytes).error());
  out += *bytes;
  waiting_.erase(0, whole);
  return {};
}

Result<void> Base64Decoder::finish(std::string& out) {
  if (!waiting_.empty()) {
    if (ended_ || waiting_.size() == 1) return fail(ErrorKind::corrupt, "not valid base64: wrong length");
    waiting_.append(4 - waiting_.size(), '=');
    HF_CHECK(add({}, out));
  }
  ended_ = false;
  return {};
}

}  // namespace holdfast::transcripts
