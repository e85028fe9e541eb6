#include "reading/html/markdown.h"

#include "base/text/text.h"
#include "reading/html/visible_text.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace holdfast::reading {
namespace {

// Output may exceed input by this factor (and a little for short texts): more comes from texts made to do so.
constexpr std::size_t kGrowth = 24;
constexpr std::size_t kGrowthStart = 4096;

// "&amp;" and "&#x202E;" as what they mean; names we do not know stay as spelled.
std::string entity_text(std::string_view entity) {
  std::string_view inside = entity.substr(1, entity.size() - 2);
  if (inside.starts_with('#')) {
    inside.remove_prefix(1);
    const bool hex = inside.starts_with('x') || inside.starts_with('X');
    if (hex) inside.remove_prefix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), number, hex ? 16 : 10);
    if (error != std::errc() || number == 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) return "\uFFFD";
    std::string out;
    append_utf8(out, number);
    return out;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\u00a0"}}};
  for (const auto& [name, text] : kNames)
    if (inside == name) return std::string(text);
  return std::string(entity);
}

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string out;
  for (std::size_t i = 0; attribute.text && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    const std::string_view part(attribute.text + begin, end - begin);
    out += attribute.substr_types[i] == MD_TEXT_ENTITY ? entity_text(part) : std::string(part);
  }
  return out;
}

class Writer {
 public:
  Writer(Html& html, std::size_t input, unsigned top)
      : html_(html), begun_(html.depth()), most_(input * kGrowth + kGrowthStart), top_(top) {}

  bool enter_block(MD_BLOCKTYPE type, const void* detail) {
    switch (type) {
      case MD_BLOCK_DOC:
      case MD_BLOCK_HTML:
        return true;
      case MD_BLOCK_QUOTE:
        html_.open("blockquote");
        break;
      case MD_BLOCK_UL:
        html_.open("ul");
        break;
      case MD_BLOCK_OL: {
        const unsigned start = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start;
        html_.open("ol", {{"start", std::to_string(start)}});
        break;
      }
      case MD_BLOCK_LI: {
        const auto* item = static_cast<const MD_BLOCK_LI_DETAIL*>(detail);
        html_.open("li");
        if (item->is_task && item->task_mark != ' ')
          html_.raw(R"(<input type="checkbox" disabled checked aria-label="done"> )");
        else if (item->is_task)
          html_.raw(R"(<input type="checkbox" disabled aria-label="to do"> )");
        break;
      }
      case MD_BLOCK_HR:
        html_.lone("hr");
        return may_go_on();
      case MD_BLOCK_H:
        open_heading(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_CODE:
        html_.open("pre").open("code");
        break;
      case MD_BLOCK_P:
        html_.open("p");
        break;
      case MD_BLOCK_TABLE:
        html_.open("table");
        break;
      case MD_BLOCK_THEAD:
        html_.open("thead");
        break;
      case MD_BLOCK_TBODY:
        html_.open("tbody");
        break;
      case MD_BLOCK_TR:
        html_.open("tr");
        break;
      case MD_BLOCK_TH:
        html_.open("th");
        break;
      case MD_BLOCK_TD:
        html_.open("td");
        break;
    }
    return may_go_on();
  }

  bool leave_block(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_HTML || type == MD_BLOCK_HR) return true;
    html_.close();
    if (type == MD_BLOCK_CODE) html_.close();
    return true;
  }

  bool enter_span(MD_SPANTYPE type, const void* detail) {
    switch (type) {
      case MD_SPAN_EM:
        html_.open("em");
        break;
      case MD_SPAN_STRONG:
        html_.open("strong");
        break;
      case MD_SPAN_CODE:
        html_.open("code");
        break;
      case MD_SPAN_DEL:
        html_.open("del");
        break;
      case MD_SPAN_A:
        enter_link(attribute_text(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href), false);
        break;
      case MD_SPAN_IMG:
        enter_link(attribute_text(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src), true);
        break;
      default:
        html_.open("em");  // extensions that are not asked for
    }
    return may_go_on();
  }

  bool leave_span(MD_SPANTYPE type) {
    if (type != MD_SPAN_A && type != MD_SPAN_IMG) {
      html_.close();
      return true;
    }
    // md4c 0.4.8 may end more links than it has begun.
    if (links_.empty()) {
      refused_ = true;
      return false;
    }
    const Link link = std::move(links_.back());
    links_.pop_back();
    if (link.open) html_.close();
    if (!link.refused.empty()) html_.text(" (").text(link.refused).text(")");
    if (link.image) html_.text("]");
    return true;
  }

  bool text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_BR:
        html_.lone("br");
        break;
      case MD_TEXT_SOFTBR:
        html_.text("\n");
        break;
      case MD_TEXT_NULLCHAR:
        html_.text("\uFFFD");
        break;
      case MD_TEXT_ENTITY:
        html_.text(visible_text(entity_text(text)));
        break;
      default:
        html_.text(text);
    }
    return may_go_on();
  }

  // The parser does not always say that it was stopped.
  bool refused() const { return refused_; }

 private:
  struct Link {
    bool open = false, image = false;
    std::string refused;  // an address that is only shown
  };

  // Links cannot stand inside of links: the outermost counts.
  void enter_link(const std::string& address, bool image) {
    Link link;
    link.image = image;
    const std::string_view safe = safe_address(address);
    const bool inside = std::ranges::any_of(links_, &Link::open);
    if (image) html_.text("[image: ");
    if (!safe.empty() && !inside) {
      html_.open("a", {{"href", safe}, {"rel", "noopener noreferrer nofollow"}});
      link.open = true;
    } else {
      link.refused = visible_text(address);
    }
    links_.push_back(std::move(link));
  }

  // The page's own headings stand above these, and none is left out between: whoever goes by headings loses no step, whatever
  // levels the author chose.
  void open_heading(unsigned level) {
    while (!headings_.empty() && headings_.back() >= level) headings_.pop_back();
    headings_.push_back(level);
    const std::size_t shown = top_ + headings_.size() - 1;
    if (shown <= 3)
      html_.open("h3");
    else if (shown == 4)
      html_.open("h4");
    else if (shown == 5)
      html_.open("h5");
    else
      html_.open("h6");
  }

  bool may_go_on() {
    refused_ = refused_ || html_.depth() - begun_ > kMarkdownDepth || html_.size() > most_;
    return !refused_;
  }

  Html& html_;
  const std::size_t begun_, most_;
  const unsigned top_;
  std::vector<unsigned> headings_;  // the levels that are open, from the outermost
  std::vector<Link> links_;
  bool refused_ = false;
};

int code(bool go_on) {
  return go_on ? 0 : 1;
}

bool parse(Html& html, std::string_view text, unsigned top) {
  Writer writer(html, text.size(), top);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    return code(static_cast<Writer*>(user)->enter_block(type, detail));
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { return code(static_cast<Writer*>(user)->leave_block(type)); };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    return code(static_cast<Writer*>(user)->enter_span(type, detail));
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) { return code(static_cast<Writer*>(user)->leave_span(type)); };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* user) {
    return code(static_cast<Writer*>(user)->text(type, {begin, size}));
  };
  return md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &writer) == 0 && !writer.refused();
}

}  // namespace

std::string_view safe_address(std::string_view address) {
  if (address.starts_with('#')) return address;
  // Browsers drop these before they look for the scheme: "java\nscript:".
  if (std::ranges::any_of(address, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; })) return {};
  const std::size_t colon = address.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string scheme = to_ascii_lower(address.substr(0, colon));
  return scheme == "http" || scheme == "https" || scheme == "mailto" ? address : std::string_view();
}

void write_markdown(Html& html, std::string_view text, unsigned top_heading) {
  const std::string visible = visible_text(text);
  if (visible.size() <= kMarkdownBytes) {
    Html formatted;
    if (parse(formatted, visible, top_heading)) {
      html.add(std::move(formatted));
      return;
    }
  }
  html.element("pre", visible);
}

}  // namespace holdfast::reading
