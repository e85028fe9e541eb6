// The story of this file. In goes a report that a model wrote, with the run's sources; out comes the same report without the
// addresses that the model made up: those that are neither a source's, nor stand in a source or in the question. Markdown can
// lead somewhere in many ways (bare, <…>, [words](…), by reference, footnotes, HTML, `code`), and they may stand in each
// other. So:
//   1. The text is read line by line, and blocks of code are passed: an address in an example is not a link.
//   2. First all lines are only learned from: where references lead, and which footnotes hold nothing but genuine addresses.
//      A reference may stand before its definition, so one reading could not judge it.
//   3. Then each line is cleaned in one pass. What opens is matched with what closes before the pass (BracketPairs,
//      CodeSpans), and the words of a link are read by the same pass with the link kept open: looking ahead for each bracket
//      would take the square of the length of a hostile line.
//   4. Where an address goes, its words stay; when nothing of it is left, the brackets and the blank around it go, too.
// Numbers in brackets are left for citations.cpp, which runs after this: a link on a number becomes a citation here, so it is
// judged as one there. In the other order made-up links would be counted as sources.

#include "base/text/text.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/run/run_state.h"
#include "kinds/research/text/markdown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace holdfast::research {

namespace {

using std::string_view;

bool is_scheme_character(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '.' || c == '-';
}

bool is_blank_or_below(char c) {
  return static_cast<unsigned char>(c) <= 0x20;
}

// "https:" at the front: the length of the scheme with its colon; 0: there is none.
std::size_t scheme_at(string_view text) {
  if (text.empty() || !is_ascii_letter(text.front())) return 0;
  const std::size_t end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_scheme_character) - text.begin());
  return end < text.size() && text[end] == ':' ? end + 1 : 0;
}

bool begins_www(string_view text) {
  return text.size() > 4 && equal_ignoring_ascii_case(text.substr(0, 4), "www.") && is_scheme_character(text[4]);
}

// "nowhere.example/page": the name of a host, of an ending that people know, and a path. Not "notes.d/page" or "main.cpp/2".
bool begins_host_with_path(string_view text) {
  constexpr auto kEndings = std::to_array<string_view>(
      {"ai", "app", "biz", "cloud",  "co",  "com",  "de", "dev", "edu",  "eu",   "example", "fr", "gov", "info", "int", "io",
       "jp", "mil", "net", "online", "org", "page", "pl", "ru",  "site", "tech", "test",    "uk", "us",  "wiki", "xyz"});
  const std::size_t slash = static_cast<std::size_t>(
      std::ranges::find_if_not(text, [](char c) { return is_scheme_character(c) && c != '+'; }) - text.begin());
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
  const string_view host = text.substr(
      2, static_cast<std::size_t>(std::ranges::find_if_not(text.substr(2), is_scheme_character) - text.substr(2).begin()));
  return host.find('.') != host.npos && is_scheme_character(host.front()) && host.front() != '.';
}

// What a browser would go to, at the front of running text: a scheme with two slashes and something behind them, www., the
// address of a mailbox, or a host with a path.
bool begins_address(string_view text) {
  if (begins_www(text) || begins_without_scheme(text) || begins_host_with_path(text)) return true;
  const std::size_t scheme = scheme_at(text);
  if (scheme == 0 || scheme + 2 >= text.size()) return false;
  if (equal_ignoring_ascii_case(text.substr(0, scheme), "mailto:")) return is_scheme_character(text[scheme]);
  // Browsers read a backslash as a slash there.
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  if (!is_slash(text[scheme]) || !is_slash(text[scheme + 1])) return false;
  const char next = text[scheme + 2];
  return is_scheme_character(next) || is_slash(next) || next == '[' || static_cast<unsigned char>(next) >= 0x80;
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
  if (const std::size_t scheme = scheme_at(text); text.substr(scheme).starts_with("//["))
    if (const std::size_t close = text.find_first_of("<>\"`|] \t", scheme); close != text.npos && text[close] == ']')
      end = close + 1;
  while (end < text.size() && !is_blank_or_below(text[end]) && kEnds.find(text[end]) == kEnds.npos &&
         !text.substr(end).starts_with("“") && !text.substr(end).starts_with("”"))
    ++end;
  const string_view address = text.substr(0, end);
  auto unopened = std::ranges::count(address, ')') - std::ranges::count(address, '(');
  constexpr string_view kSentenceCharacters = ".,;:!?'*_";
  while (end > 0 &&
         (kSentenceCharacters.find(text[end - 1]) != kSentenceCharacters.npos || (text[end - 1] == ')' && unopened > 0))) {
    if (text[end - 1] == ')') --unopened;
    --end;
  }
  return end;
}

bool is_numbers(string_view label) {
  // In this order: the first bracket ends the look at labels inside of each other.
  return label.find_first_not_of("0123456789,;- ") == label.npos && std::ranges::any_of(label, is_ascii_digit);
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
    if (begins_www(address) || begins_host_with_path(address)) {
      const auto secure = citation(fmt::format("https://{}", address));
      return secure ? secure : citation(fmt::format("http://{}", address));
    }
    auto place = by_uri_.find(canonical_uri(address));
    if (place == by_uri_.end()) place = by_uri_.find(canonical_uri(address.substr(0, address.find('#'))));
    return place == by_uri_.end() ? std::nullopt : std::optional(place->second);
  }

  bool has(string_view address) const {
    const auto known = answers_.find(address);
    if (known != answers_.end()) return known->second;
    return answers_.emplace(address, stands_somewhere(address)).first->second;
  }

 private:
  bool stands_somewhere(string_view address) const {
    if (citation(address) || question_.find(address) != question_.npos) return true;
    return std::ranges::any_of(sources_, [&](const Source& source) {
      return source.text().find(address) != std::string::npos || source.title.find(address) != std::string::npos;
    });
  }

  const std::vector<Source>& sources_;
  string_view question_;
  std::map<std::string, std::int64_t, std::less<>> by_uri_;
  mutable std::map<std::string, bool, std::less<>> answers_;  // reading all sources again for each mention of an address is slow
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

// Which bracket closes which in a line of markdown. All of them are paired at once, so that rows and nests of brackets take no
// longer than other text of their length.
class BracketPairs {
 public:
  explicit BracketPairs(string_view line) : closing_(line.size(), string_view::npos) {
    std::vector<std::size_t> square, round, angle;  // open ones
    const auto close = [&](std::vector<std::size_t>& open, std::size_t at) {
      if (open.empty()) return;
      closing_[open.back()] = at;
      open.pop_back();
    };
    bool escaped = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const char c = line[at];
      if (c == '[' && !escaped) square.push_back(at);
      if (c == ']' && !escaped) close(square, at);
      if (c == '(') round.push_back(at);
      if (c == ')') close(round, at);
      if (c == '<') angle.push_back(at);
      while (c == '>' && !angle.empty()) close(angle, at);
      escaped = c == '\\' && !escaped;
    }
  }

  // Of "[" and "(": what closes it; square brackets behind a backslash count as text. Of "<": the next ">". npos: nothing, or it
  // is none of these.
  std::size_t closing(std::size_t open) const { return closing_[open]; }

 private:
  std::vector<std::size_t> closing_;  // for each byte
};

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

  struct Line {
    explicit Line(string_view bytes) : text(bytes), code(bytes), pairs(bytes) {}
    string_view text;
    CodeSpans code;
    BracketPairs pairs;
  };
  // A link whose words are being read.
  struct OpenLink {
    std::size_t close, end;                // its "]", and what follows its target
    std::size_t out_before, words_in_out;  // where it begins in what is kept, and where its words do
    std::int64_t removed_before;
    bool invented;
  };
  struct Kept {
    std::string out;
    std::vector<OpenLink> open;
    // What begins among the words of a link ends there.
    std::size_t limit(string_view text) const { return open.empty() ? text.size() : open.back().close; }
    std::size_t first_of_words() const { return open.empty() ? 0 : open.back().words_in_out; }
  };

  // One pass, also over the words of links and of links in them: what stands in each other costs no more than what does not.
  std::string cleaned(string_view text) {
    const Line line(text);
    Kept kept;
    for (std::size_t at = 0; at < text.size();) {
      const std::int64_t before = removed_;
      const std::size_t length_before = kept.out.size(), links_before = kept.open.size();
      bool is_empty = false;
      std::size_t taken = 0;
      if (!kept.open.empty() && at == kept.open.back().close) {
        taken = kept.open.back().end - at;
        is_empty = close_link(text, kept);
      } else {
        taken = take(line, at, kept);
        is_empty = removed_ > before && kept.out.size() == length_before && kept.open.size() == links_before;
      }
      at += taken;
      if (is_empty) at += close_gap(kept, text.substr(at, kept.limit(text) - at));
    }
    return kept.out;
  }

  std::size_t take(const Line& line, std::size_t at, Kept& kept) {
    const string_view text = line.text.substr(0, kept.limit(line.text));
    const char c = text[at];
    std::size_t taken = 0;
    if (c == '\\') {
      taken = std::min<std::size_t>(2, text.size() - at);
      kept.out += text.substr(at, taken);
    } else if (c == '`') {
      taken = take_code(text.substr(at), line.code.length_at(at), kept.out);
    } else if (c == '<') {
      taken = take_angle(text.substr(at), line.pairs.closing(at) - at, kept.out);
    } else if (c == '[' || text.substr(at).starts_with("![")) {
      taken = take_link(text, line.pairs, at, kept);
    } else if (at == 0 || !is_scheme_character(text[at - 1])) {
      taken = take_bare(text.substr(at), kept.out);
    }
    if (taken != 0) return taken;
    kept.out += c;
    return 1;
  }

  // At the end of its words. Whether nothing is left of it.
  bool close_link(string_view text, Kept& kept) const {
    const OpenLink link = kept.open.back();
    kept.open.pop_back();
    const bool is_empty = kept.out.size() == link.words_in_out && removed_ > link.removed_before;
    if (is_empty)
      kept.out.resize(link.out_before);
    else if (!link.invented)
      kept.out += text.substr(link.close, link.end - link.close);
    return is_empty;
  }

  // Nothing is left where an address was: nor are the brackets and the blank around it. How much of what follows goes, too.
  static std::size_t close_gap(Kept& kept, string_view next) {
    std::string& out = kept.out;
    const auto ends_with = [&](auto what) { return string_view(out).substr(kept.first_of_words()).ends_with(what); };
    std::size_t gone = 0;
    for (const char mark : {'*', '_'})
      while (ends_with(mark) && next.substr(gone).starts_with(mark)) {
        out.pop_back();
        ++gone;
      }
    next.remove_prefix(gone);
    if (next.starts_with(')') && ends_with('(')) {
      out.resize(out.size() - (ends_with("](") ? 2 : 1));
      next.remove_prefix(1);
      ++gone;
    }
    constexpr string_view kBehindAWord = " .,;:!?)";
    if (ends_with(' ') && (next.empty() || kBehindAWord.find(next.front()) != kBehindAWord.npos)) out.pop_back();
    return gone;
  }

  // length: of the span that begins here; 0: none does.
  std::size_t take_code(string_view rest, std::size_t length, std::string& out) {
    const std::size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
    if (length == 0 || length > rest.size()) {
      out += rest.substr(0, ticks);
      return ticks;
    }
    const string_view inside = trim(rest.substr(ticks, length - 2 * ticks));
    const bool only_an_address = begins_address(inside) && length_of_address(inside) == inside.size();
    if (only_an_address && !genuine_.has(inside))
      ++removed_;
    else
      out += rest.substr(0, length);
    return length;
  }

  // close: the next ">".
  std::size_t take_angle(string_view rest, std::size_t close, std::string& out) {
    if (close >= rest.size() || close < 2) return 0;
    const string_view inside = rest.substr(1, close - 1);
    const string_view whole = rest.substr(0, close + 1);
    if (inside == "/a" && dropped_anchors_ > 0) {
      --dropped_anchors_;
      return whole.size();
    }
    if (!is_ascii_letter(inside.front())) return 0;
    bool invented = is_mailbox(inside) && !genuine_.has(inside);
    for (std::size_t at = 0; at < inside.size(); ++at) {
      if ((at > 0 && is_scheme_character(inside[at - 1])) || !begins_address(inside.substr(at))) continue;
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

  // "(destination "title")", without the brackets.
  static string_view destination_in(string_view target) {
    target = trim(target);
    if (target.starts_with('<')) {
      target.remove_prefix(1);
      target = target.substr(0, target.find('>'));
    }
    return target.substr(0, target.find_first_of(" \t"));
  }

  // Its words are read next, by cleaned(); unless they are a number, or go with the picture.
  std::size_t take_link(string_view text, const BracketPairs& pairs, std::size_t begin, Kept& kept) {
    const bool picture = text[begin] == '!';
    const std::size_t open = begin + (picture ? 1 : 0), close = pairs.closing(open);
    if (close >= text.size()) return 0;
    const string_view label = text.substr(open + 1, close - open - 1), behind = text.substr(close + 1);
    const std::size_t target_end = behind.starts_with('(') ? pairs.closing(close + 1) : text.npos;
    std::size_t end = target_end + 1;
    bool invented = true;
    if (target_end < text.size()) {
      const string_view destination = destination_in(text.substr(close + 2, target_end - close - 2));
      invented = is_invented(destination);
      const auto citation = !invented && is_numbers(label) ? genuine_.citation(destination) : std::nullopt;
      if (citation) {
        kept.out += fmt::format("[{}]", *citation);
        return end - begin;
      }
    } else {
      if (label.starts_with('^')) {
        if (notes_.contains(label)) return 0;
        ++removed_;  // its note is gone, or never was
        return close + 1 - begin;
      }
      const std::size_t reference_end = behind.starts_with('[') ? text.find(']', close + 1) : text.npos;
      const bool has_reference = reference_end != text.npos;
      if (!names_invented(has_reference ? text.substr(close + 2, reference_end - close - 2) : label, label)) return 0;
      end = (has_reference ? reference_end : close) + 1;
    }
    const std::int64_t removed_before = removed_;
    const std::size_t out_before = kept.out.size();
    if (invented) {
      ++removed_;
      if (picture) return end - begin;
      if (is_numbers(label)) {
        kept.out += fmt::format("[{}]", label);
        return end - begin;
      }
    } else {
      kept.out += text.substr(begin, open + 1 - begin);
    }
    kept.open.push_back({close, end, out_before, kept.out.size(), removed_before, invented});
    return open + 1 - begin;
  }

  bool names_invented(string_view name, string_view label) const {
    constexpr std::size_t kLongestName = 999;  // as readers of Markdown have it
    if (name.empty()) name = label;
    if (name.size() > kLongestName) return false;
    const auto place = destinations_.find(to_ascii_lower(name));
    return place != destinations_.end() && is_invented(place->second);
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
