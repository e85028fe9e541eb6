// Any line can be changed at strings that its own bytes choose: what was put in
// is spelled so that the line is as good JSON as before; and replacing each occurrence is what searching the text says.

#include "jsonl/splice.h"

#include <cstdint>

using namespace holdfast::jsonl;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

std::string spliced(std::string_view line, SpliceRules rules) {
  std::string out;
  Splicer(std::move(rules)).splice(line, out);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(8);
  const std::string_view old_text = input.substr(0, 1 + data[0] % 3), text = input.substr(3, data[1] % 5);

  std::size_t choice = 0;
  SpliceRules rules;
  rules.decide = [&](StringSite& site) {
    const std::uint8_t chosen = data[choice++ % 8];
    if (chosen % 4 == 0) site.replace(text);
    const std::size_t from = chosen % 7, to = from + chosen % 3;
    if (chosen % 4 == 1) site.replace(from, to, text);
    if (chosen % 4 == 2) site.replace_each(old_text, text);
  };
  rules.untouched = {"/*/a/**"};
  rules.untouched_objects = {{"type", "thinking"}};
  Splicer splicer(rules);
  std::vector<Edit> edits;
  const LineReport report = splicer.find(line, edits);
  std::string changed;
  require(append_edited(changed, line, edits).has_value());
  if (edits.empty()) require(changed == line);
  require(Scanner().shape(changed).shape == report.shape);

  SpliceRules quick, plain;
  quick.decide = [&](StringSite& site) { site.replace_each(old_text, text); };
  plain.decide = [&](StringSite& site) {
    for (std::size_t at = site.text().find(old_text); at != std::string_view::npos;) {
      const bool done = site.replace(at, at + old_text.size(), text);
      at = site.text().find(old_text, at + (done ? old_text.size() : 1));
    }
  };
  require(spliced(line, quick) == spliced(line, plain));
  return 0;
}
