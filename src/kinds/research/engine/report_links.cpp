#include "kinds/research/engine/report_links.h"

#include "base/text/text.h"
#include "kinds/research/run/run_state.h"
#include "kinds/research/text/code_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace holdfast::research {

namespace {

using std::string_view;

bool is_scheme_sign(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '.' || c == '-';
}

bool is_blank_or_below(char c) {
  return static_cast<unsigned char>(c) <= 0x20;
}

// "https:" at the front: the length of the scheme with its colon; 0: there is none.
std::size_t scheme_at(string_view text) {
  if (text.empty() || !is_ascii_letter(text.front())) return 0;
  const std::size_t end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_scheme_sign) - text.begin());
  return end < text.size() && text[end] == ':' ? end + 1 : 0;
}

bool begins_www(string_view text) {
  return text.size() > 4 && equal_ignoring_ascii_case(text.substr(0, 4), "www.") && is_scheme_sign(text[4]);
}

// "nowhere.example/page": the name of a host, of an ending that people know, and a path. Not "notes.d/page" or "main.cpp/2".
bool begins_host_with_path(string_view text) {
  constexpr auto kEndings = std::to_array<string_view>(
      {"ai", "app", "biz", "cloud",  "co",  "com",  "de", "dev", "edu",  "eu",   "example", "fr", "gov", "info", "int", "io",
       "jp", "mil", "net", "online", "org", "page", "pl", "ru",  "site", "tech", "test",    "uk", "us",  "wiki", "xyz"});
  const std::size_t slash = static_cast<std::size_t>(
      std::ranges::find_if_not(text, [](char c) { return is_scheme_sign(c) && c != '+'; }) - text.begin());
  if (slash == text.size() || (text[slash] != '/' && text[slash] != ':')) return false;
  if (text[slash] == ':' && (slash + 1 == text.size() || !is_ascii_digit(text[slash + 1]))) return false;
  const string_view host = text.substr(0, slash);
  const std::size_t dot = host.rfind('.');
  return dot != host.npos && dot > 0 &&
         std::ranges::find(kEndings, string_view(to_ascii_lower(host.substr(dot + 1)))) != kEndings.end();
}

// "//nowhere.example/page": of the scheme of the page it stands on. Not "// a remark".
bool begins_without_scheme(string_view text) {
  if (!text.starts_with("//")) return false;
  const string_view host =
      text.substr(2, static_cast<std::size_t>(std::ranges::find_if_not(text.substr(2), is_scheme_sign) - text.substr(2).begin()));
  return host.find('.') != host.npos && is_scheme_sign(host.front()) && host.front() != '.';
}

// What a browser would go to, at the front of running text: a scheme with two slashes and something behind them, www., the
// address of a mailbox, or a host with a path.
bool begins_address(string_view text) {
  if (begins_www(text) || begins_without_scheme(text) || begins_host_with_path(text)) return true;
  const std::size_t scheme = scheme_at(text);
  if (scheme == 0 || scheme + 2 >= text.size()) return false;
  if (equal_ignoring_ascii_case(text.substr(0, scheme), "mailto:")) return is_scheme_sign(text[scheme]);
  // Browsers read a backslash as a slash there.
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  if (!is_slash(text[scheme]) || !is_slash(text[scheme + 1])) return false;
  const char next = text[scheme + 2];
  return is_scheme_sign(next) || is_slash(next) || next == '[' || static_cast<unsigned char>(next) >= 0x80;
}

// "<ada@nowhere.example>"
bool is_mailbox(string_view inside) {
  const std::size_t at = inside.find('@');
  return at != inside.npos && at > 0 && inside.find('.', at) != inside.npos && inside.find_first_of(" \t/:\"'") == inside.npos;
}

// Where a link may lead beyond this text: "guide.md" and "#below" do not.
bool leads_away(string_view destination) {
  return scheme_at(destination) != 0 || destination.starts_with("//") || begins_www(destination);
}

// How much of running text belongs to the address it begins with.
std::size_t length_of_address(string_view text) {
  constexpr string_view kEnds = "<>\"`|]";
  std::size_t end = 0;
  // A host that is a number of IPv6 stands in brackets.
  if (const std::size_t host = text.find("//["); host != text.npos && host == scheme_at(text))
    if (const std::size_t close = text.find(']', host);
        close != text.npos && text.substr(0, close).find_first_of(" \t") == text.npos)
      end = close + 1;
  while (end < text.size() && !is_blank_or_below(text[end]) && kEnds.find(text[end]) == kEnds.npos &&
         !text.substr(end).starts_with("“") && !text.substr(end).starts_with("”"))
    ++end;
  const auto closes_more = [&] {
    const string_view address = text.substr(0, end);
    return std::ranges::count(address, ')') > std::ranges::count(address, '(');
  };
  constexpr string_view kSentenceSigns = ".,;:!?'*_";
  while (end > 0 && (kSentenceSigns.find(text[end - 1]) != kSentenceSigns.npos || (text[end - 1] == ')' && closes_more()))) --end;
  return end;
}

bool is_numbers(string_view label) {
  const bool has_digit = std::ranges::any_of(label, is_ascii_digit);
  return has_digit && label.find_first_not_of("0123456789,;- ") == label.npos;
}

bool says_something(string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || static_cast<unsigned char>(c) >= 0x80; });
}

class Genuine {
 public:
  Genuine(const std::vector<Source>& sources, string_view question) : sources_(sources), question_(question) {
    for (const Source& source : sources) {
      by_uri_.emplace(canonical_uri(source.uri), source.citation);
      by_uri_.emplace(canonical_uri(string_view(source.uri).substr(0, source.uri.find('#'))), source.citation);
    }
  }

  // The citation number of the source at this address.
  std::optional<std::int64_t> citation(string_view address) const {
    if (begins_www(address)) {
      const auto secure = citation(fmt::format("https://{}", address));
      return secure ? secure : citation(fmt::format("http://{}", address));
    }
    auto place = by_uri_.find(canonical_uri(address));
    if (place == by_uri_.end()) place = by_uri_.find(canonical_uri(address.substr(0, address.find('#'))));
    return place == by_uri_.end() ? std::nullopt : std::optional(place->second);
  }

  bool has(string_view address) const {
    if (citation(address) || question_.find(address) != question_.npos) return true;
    return std::ranges::any_of(sources_, [&](const Source& source) {
      return source.text().find(address) != std::string::npos || source.title.find(address) != std::string::npos;
    });
  }

 private:
  const std::vector<Source>& sources_;
  string_view question_;
  std::map<std::string, std::int64_t, std::less<>> by_uri_;
};

// "[label]: rest" at the beginning of a line; of a footnote, the label begins with ^.
struct Definition {
  string_view label, rest;
  bool is_note() const { return label.starts_with('^'); }
  string_view destination() const {
    string_view first = rest.substr(0, rest.find_first_of(" \t"));
    if (first.starts_with('<')) first.remove_prefix(1);
    return first.substr(0, first.find('>'));
  }
};
std::optional<Definition> definition_in(string_view line) {
  const string_view text = trim(line);
  if (!text.starts_with('[')) return std::nullopt;
  const std::size_t close = text.find("]:");
  if (close == text.npos || close < 2 || text.substr(0, close).find('[', 1) != text.npos) return std::nullopt;
  return Definition{text.substr(1, close - 1), trim(text.substr(close + 2))};
}

class LinkRemover {
 public:
  explicit LinkRemover(const Genuine& genuine) : genuine_(genuine) {}

  void learn(string_view line) {
    const auto definition = definition_in(line);
    if (!definition) return;
    if (definition->is_note()) {
      LinkRemover probe(genuine_);
      static_cast<void>(probe.cleaned(definition->rest));
      if (probe.removed_ == 0) notes_.emplace(definition->label);
    } else {
      destinations_[to_ascii_lower(definition->label)] = definition->destination();
    }
  }

  // nullopt: nothing of the line is left.
  std::optional<std::string> line(string_view text) {
    const bool continues = !text.empty() && is_blank_or_below(text.front()) && says_something(text);
    if (in_dropped_note_ && continues) return std::nullopt;
    in_dropped_note_ = false;
    const auto definition = definition_in(text);
    if (definition && definition->is_note() && !notes_.contains(definition->label)) {
      in_dropped_note_ = true;
      ++removed_;
      return std::nullopt;
    }
    if (definition && !definition->is_note() && leads_away(definition->destination())) {
      const bool invented = is_invented(definition->destination());
      removed_ += invented ? 1 : 0;
      // A number is a citation of ours, wherever the definition says that it leads.
      if (invented || is_numbers(definition->label)) return std::nullopt;
      return std::string(text);
    }
    std::string kept = cleaned(text);
    if (kept != text && !says_something(kept)) return std::nullopt;
    return kept;
  }

  std::int64_t removed() const { return removed_; }

 private:
  bool is_invented(string_view destination) const { return leads_away(destination) && !genuine_.has(destination); }

  std::string cleaned(string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const string_view rest = text.substr(at);
      const std::int64_t before = removed_;
      const std::size_t length_before = out.size();
      std::size_t taken = 0;
      if (rest.front() == '\\') {
        taken = std::min<std::size_t>(2, rest.size());
        out += rest.substr(0, taken);
      } else if (rest.front() == '`') {
        taken = take_code(rest, out);
      } else if (rest.front() == '<') {
        taken = take_angle(rest, out);
      } else if (rest.front() == '[' || rest.starts_with("![")) {
        taken = take_link(rest, out);
      } else if (at == 0 || !is_scheme_sign(text[at - 1])) {
        taken = take_bare(rest, out);
      }
      if (taken == 0) {
        out += rest.front();
        taken = 1;
      }
      at += taken;
      if (removed_ > before && out.size() == length_before) at += close_gap(out, text.substr(at));
    }
    return out;
  }

  // Nothing is left where an address was: nor are the brackets and the blank around it. How much of what follows goes, too.
  static std::size_t close_gap(std::string& out, string_view next) {
    std::size_t gone = 0;
    for (const char mark : {'*', '_'})
      while (out.ends_with(mark) && next.substr(gone).starts_with(mark)) {
        out.pop_back();
        ++gone;
      }
    next.remove_prefix(gone);
    if (next.starts_with(')') && (out.ends_with('(') || out.ends_with("]("))) {
      out.resize(out.size() - (out.ends_with("](") ? 2 : 1));
      next.remove_prefix(1);
      ++gone;
    }
    constexpr string_view kBehindAWord = " .,;:!?)";
    if (out.ends_with(' ') && (next.empty() || kBehindAWord.find(next.front()) != kBehindAWord.npos)) out.pop_back();
    return gone;
  }

  std::size_t take_code(string_view rest, std::string& out) {
    const std::size_t length = code_span_at(rest);
    if (length == 0) {
      const std::size_t run = std::min(rest.find_first_not_of('`'), rest.size());
      out += rest.substr(0, run);
      return run;
    }
    const std::size_t ticks = rest.find_first_not_of('`');
    const string_view inside = trim(rest.substr(ticks, length - 2 * ticks));
    const bool only_an_address = begins_address(inside) && length_of_address(inside) == inside.size();
    if (only_an_address && !genuine_.has(inside))
      ++removed_;
    else
      out += rest.substr(0, length);
    return length;
  }

  std::size_t take_angle(string_view rest, std::string& out) {
    const std::size_t close = rest.find('>');
    if (close == rest.npos || close < 2) return 0;
    const string_view inside = rest.substr(1, close - 1);
    const string_view whole = rest.substr(0, close + 1);
    if (inside == "/a" && dropped_anchors_ > 0) {
      --dropped_anchors_;
      return whole.size();
    }
    if (!is_ascii_letter(inside.front())) return 0;
    bool invented = is_mailbox(inside) && !genuine_.has(inside);
    for (std::size_t at = 0; at < inside.size(); ++at) {
      if ((at > 0 && is_scheme_sign(inside[at - 1])) || !begins_address(inside.substr(at))) continue;
      const string_view address = inside.substr(at, length_of_address(inside.substr(at)));
      invented = invented || !genuine_.has(address);
      at += address.size();
    }
    if (!invented) {
      out += whole;
      return whole.size();
    }
    ++removed_;
    if (inside.starts_with("a ")) ++dropped_anchors_;
    return whole.size();
  }

  std::size_t take_bare(string_view rest, std::string& out) {
    if (!begins_address(rest)) return 0;
    const std::size_t length = length_of_address(rest);
    if (length == 0) return 0;
    if (genuine_.has(rest.substr(0, length)))
      out += rest.substr(0, length);
    else
      ++removed_;
    return length;
  }

  // The bracket that closes the one at `open`; npos: none does.
  static std::size_t closing_bracket(string_view text, std::size_t open) {
    constexpr std::size_t kMostLabel = 1000;  // as readers of Markdown have it; bounds what a row of brackets costs
    int depth = 0;
    for (std::size_t at = open; at < std::min(text.size(), open + kMostLabel); ++at) {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == '[') {
        ++depth;
      } else if (text[at] == ']' && --depth == 0) {
        return at;
      }
    }
    return text.npos;
  }

  // "(destination "title")" at the front.
  struct Target {
    string_view destination;
    std::size_t length = 0;  // with the brackets
  };
  static std::optional<Target> target_at(string_view text) {
    if (!text.starts_with('(')) return std::nullopt;
    constexpr std::size_t kMostTarget = 8192;
    int depth = 0;
    for (std::size_t at = 0; at < std::min(text.size(), kMostTarget); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] != ')' || --depth > 0) continue;
      string_view inside = trim(text.substr(1, at - 1));
      if (inside.starts_with('<')) {
        inside.remove_prefix(1);
        inside = inside.substr(0, inside.find('>'));
      }
      return Target{inside.substr(0, inside.find_first_of(" \t")), at + 1};
    }
    return std::nullopt;
  }

  void keep_words(string_view label, bool picture, std::string& out) {
    ++removed_;
    if (picture) return;
    if (is_numbers(label))
      out += fmt::format("[{}]", label);
    else
      out += cleaned(label);
  }

  std::size_t take_link(string_view rest, std::string& out) {
    const bool picture = rest.front() == '!';
    const std::size_t open = picture ? 1 : 0;
    const std::size_t close = closing_bracket(rest, open);
    if (close == rest.npos) return 0;
    const string_view label = rest.substr(open + 1, close - open - 1);
    const string_view behind = rest.substr(close + 1);
    if (const auto target = target_at(behind)) {
      const std::size_t length = close + 1 + target->length;
      if (is_invented(target->destination)) {
        keep_words(label, picture, out);
        return length;
      }
      const auto citation = is_numbers(label) ? genuine_.citation(target->destination) : std::nullopt;
      out += citation ? fmt::format("[{}]", *citation) : std::string(rest.substr(0, length));
      return length;
    }
    if (label.starts_with('^')) {
      if (notes_.contains(label)) return 0;
      ++removed_;  // its note is gone, or never was
      return close + 1;
    }
    const std::size_t reference_end = behind.starts_with('[') ? behind.find(']') : behind.npos;
    const bool has_reference = reference_end != behind.npos;
    string_view name = has_reference ? behind.substr(1, reference_end - 1) : label;
    if (name.empty()) name = label;
    const auto place = destinations_.find(to_ascii_lower(name));
    if (place == destinations_.end() || !is_invented(place->second)) return 0;
    keep_words(label, picture, out);
    return close + 1 + (has_reference ? reference_end + 1 : 0);
  }

  const Genuine& genuine_;
  std::set<std::string, std::less<>> notes_;  // labels of footnotes that stay
  std::map<std::string, std::string, std::less<>> destinations_;
  bool in_dropped_note_ = false;
  int dropped_anchors_ = 0;
  std::int64_t removed_ = 0;
};

template <class Take>
void each_line_outside_code(string_view markdown, const Take& take) {
  CodeFence fence;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const string_view line = markdown.substr(0, end);
    const bool last = end == markdown.size();
    markdown.remove_prefix(last ? end : end + 1);
    take(line, fence.holds(line), last);
  }
}

}  // namespace

CheckedLinks without_invented_links(string_view markdown, const std::vector<Source>& sources, string_view question) {
  const Genuine genuine(sources, question);
  LinkRemover remover(genuine);
  each_line_outside_code(markdown, [&](string_view line, bool code, bool) {
    if (!code) remover.learn(line);
  });
  CheckedLinks checked;
  each_line_outside_code(markdown, [&](string_view line, bool code, bool last) {
    const auto kept = code ? std::optional(std::string(line)) : remover.line(line);
    if (!kept) return;
    checked.text += *kept;
    if (!last) checked.text += '\n';
  });
  checked.removed = remover.removed();
  return checked;
}

}  // namespace holdfast::research
