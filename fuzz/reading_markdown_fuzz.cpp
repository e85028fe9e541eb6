// Markdown of strangers becomes HTML that has no tag, attribute or address outside of a list, whatever the bytes; and so does
// every other way in which a turn shows a text.

#include "base/text/text.h"
#include "reading/html/html_turns.h"
#include "reading/html/markdown.h"
#include "reading/html/markdown_turns.h"
#include "reading/html/test_markup.h"
#include "reading/html/visible_text.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using namespace holdfast::reading;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_harmless(Html html) {
  const std::string text = std::move(html).finish();
  require(is_valid_utf8(text));
  require(wrong_markup(text).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string visible = visible_text(text);
  require(visible_text(visible) == visible);
  Html html;
  write_markdown(html, text);
  require_harmless(std::move(html));

  Turn turn;
  turn.line = 1;
  turn.author = turn.lane = std::string(text.substr(0, 100));
  Part part;
  part.kind = Part::Kind::tool_call;
  part.name = size > 0 && data[0] % 2 == 0 ? "Edit" : std::string(text.substr(0, 20));
  part.arguments = {{"command", to_valid_utf8(text)}, {"old_string", to_valid_utf8(text)}, {"new_string", "x\n"}};
  part.result.emplace();
  part.result->output.text = text;
  part.result->patch = text.substr(0, size / 2);
  part.text.text = text;
  turn.parts = {part, part, part};
  turn.parts[1].kind = Part::Kind::notice;
  turn.parts[2].kind = Part::Kind::raw;
  Html shown;
  write_turn(shown, turn, {});
  require_harmless(std::move(shown));
  std::string markdown;
  append_turn(markdown, turn, {true});
  require(is_valid_utf8(markdown));
  return 0;
}
