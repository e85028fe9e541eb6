#include "kinds/transcripts/archive/archive_encode.h"

#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace holdfast::transcripts {
namespace {

std::size_t length_by_lead(unsigned char lead) {
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
}

// How many bytes at the end are the beginning of a character only.
std::size_t cut_at_end(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return length_by_lead(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace

void TextEncoder::add(std::string_view bytes, std::string& out) {
  if (!held_.empty()) {
    held_ += bytes;
    const std::string joined = std::move(held_);
    held_.clear();
    return add(joined, out);
  }
  const std::size_t cut = cut_at_end(bytes);
  encode(bytes.substr(0, bytes.size() - cut), out);
  held_ = bytes.substr(bytes.size() - cut);
}

void TextEncoder::finish(std::string& out) {
  encode(held_, out);
  held_.clear();
}

void TextEncoder::encode(std::string_view bytes, std::string& out) {
  scratch_.clear();
  if (is_valid_utf8(bytes)) {
    append_json_string(scratch_, bytes);
  } else {
    exact_ = false;
    append_json_string(scratch_, to_valid_utf8(bytes));
  }
  out += std::string_view(scratch_).substr(1, scratch_.size() - 2);
}

void Base64Encoder::add(std::string_view bytes, std::string& out) {
  if (!held_.empty()) {
    const std::size_t missing = std::min(3 - held_.size(), bytes.size());
    held_ += bytes.substr(0, missing);
    bytes.remove_prefix(missing);
    if (held_.size() < 3) return;
    encode(held_, out);
  }
  const std::size_t whole = bytes.size() / 3 * 3;
  encode(bytes.substr(0, whole), out);
  held_ = bytes.substr(whole);
}

void Base64Encoder::finish(std::string& out) {
  encode(held_, out);
  if (alphabet_ == Alphabet::url && !held_.empty()) out.append(3 - held_.size(), '=');
  held_.clear();
}

void Base64Encoder::encode(std::string_view bytes, std::string& out) {
  out += alphabet_ == Alphabet::standard ? to_base64(bytes) : to_base64url(bytes);
}

}  // namespace holdfast::transcripts
