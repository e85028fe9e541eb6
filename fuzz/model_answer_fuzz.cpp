// The reader of what a model endpoint answers, and the search for an object in it, on hostile bytes: portions must not matter, an
// answer is never empty (text, or calls), what was streamed is what was answered. The first byte chooses the portions.

#include "model/wire/answer_reader.h"
#include "model/wire/fault.h"
#include "model/wire/structured.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using holdfast::Result;
using holdfast::model::Answer;
using holdfast::model::AnswerReader;

void require(bool holds) {
  if (!holds) std::abort();
}

Result<Answer> read(std::string_view bytes, std::size_t portion, std::string& streamed) {
  AnswerReader reader([&](std::string_view text) { streamed += text; });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(portion, bytes.size())))
    if (auto fed = reader.feed(bytes.substr(0, portion)); !fed) return holdfast::fail(fed.error());
  return reader.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string streamed, in_parts;
  const auto whole = read(bytes, bytes.size() + 1, streamed);
  const auto parts = read(bytes, 1 + data[0] % 32, in_parts);
  require(whole.has_value() == parts.has_value());
  if (whole) {
    require((!whole->content.empty() || !whole->tools.calls.empty()) && whole->content == streamed);
    require(parts->content == whole->content && in_parts == streamed);
    require(parts->model == whole->model && parts->finish_reason == whole->finish_reason);
    require(parts->tokens_in == whole->tokens_in && parts->tokens_out == whole->tokens_out);
  }
  const auto object = holdfast::model::object_in(bytes);
  if (object) require(holdfast::model::object_in(holdfast::to_json(*object)).has_value());
  holdfast::net::HttpAnswer refusal;
  refusal.status = 400;
  refusal.headers = {{"retry-after", std::string(bytes)}};
  refusal.body = bytes;
  require(!holdfast::model::fault_of(refusal, {}).error.code.empty());
  return 0;
}
