// The tool calls of an answer, on hostile bytes, through both interfaces: portions must not matter, every call has a name and an
// id of its own, and what goes back to the endpoint matches what the caller sees. The first byte chooses the portions and the
// interface.

#include "model/wire/answer_reader.h"
#include "model/wire/tool_calls.h"

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace holdfast::model;
using holdfast::Result;

void require(bool holds) {
  if (!holds) std::abort();
}

Result<Answer> read(std::string_view bytes, std::size_t portion, AnswerReader::Options options) {
  AnswerReader reader({}, options);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(portion, bytes.size())))
    if (auto fed = reader.feed(bytes.substr(0, portion)); !fed) return holdfast::fail(fed.error());
  return reader.finish();
}

void check(const ToolCalls& tools) {
  require(tools.calls.size() == tools.wire.size() && tools.calls.size() <= kMaxToolCalls);
  std::set<std::string> ids;
  for (std::size_t at = 0; at < tools.calls.size(); ++at) {
    const ToolCall& call = tools.calls[at];
    require(!call.name.empty() && !call.id.empty() && ids.insert(call.id).second);
    const holdfast::JsonObject* wire = tools.wire[at].if_object();
    require(wire && holdfast::find_string(*wire, "id") == call.id && !wire->contains("index"));
    const holdfast::JsonObject* function = holdfast::find_object(*wire, "function");
    require(function && holdfast::find_string(*function, "name") == call.name && function->contains("arguments"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  AnswerReader::Options options;
  options.api = data[0] & 1 ? Api::responses : Api::chat;
  options.may_be_empty = true;
  const auto whole = read(bytes, bytes.size() + 1, options);
  const auto parts = read(bytes, 1 + (data[0] >> 1) % 32, options);
  require(whole.has_value() == parts.has_value());
  if (whole) {
    check(whole->tools);
    require(whole->content == parts->content && whole->reasoning == parts->reasoning);
    require(whole->tools.calls.size() == parts->tools.calls.size());
    for (std::size_t at = 0; at < whole->tools.calls.size(); ++at) {
      require(whole->tools.calls[at].name == parts->tools.calls[at].name);
      require(whole->tools.calls[at].arguments == parts->tools.calls[at].arguments);
    }
  }
  std::string text(bytes);
  const ToolCalls written = take_calls_in_text(text, {{"read"}, {"a"}});
  check(written);
  require(!written.calls.empty() || text == bytes);
  return 0;
}
