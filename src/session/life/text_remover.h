#pragma once

// Takes texts out of strings and JSON, for redaction: a pattern, or given pieces, wherever they stand.

#include "base/json/json.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

class TextRemover {
 public:
  // Errors: invalid (an expression that is none, or that matches the empty text).
  static Result<TextRemover> of_pattern(std::string_view pattern, bool regex);
  // The lines and sentences of the texts that are long enough to be theirs alone, and the texts as a whole.
  static TextRemover of_pieces(const std::vector<std::string>& texts);

  // True when something was replaced by kRedactedText.
  bool clean(std::string& text) const;
  // Every string value, at any depth; member names stay.
  bool clean(Json& value) const;
  bool clean(JsonObject& object) const;

 private:
  using Replace = std::function<bool(std::string&)>;
  explicit TextRemover(Replace replace) : replace_(std::move(replace)) {}
  Replace replace_;
};

// The same JSON with every text replaced, except those members that say what the entry is and what it belongs to.
void blank_out(Json& value);

}  // namespace holdfast::session
