#include "web/pictures/picture.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::web {

namespace {

constexpr int kRow = 30, kColumn = 24, kTop = 24, kLeft = 22, kRadius = 7;
constexpr int kCharWidth = 8;  // of the widest usual letters at 13 px; a wider script is cut by the edge, not by us
constexpr int kTextGap = 18;

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return shorten(line, Picture::kLabelChars);
}

struct Layout {
  explicit Layout(const Picture& picture) : count(std::min(picture.nodes.size(), Picture::kMaxNodes)) {
    std::size_t columns = 1;
    for (std::size_t i = 0; i < count; ++i) columns = std::max(columns, column(picture.nodes[i]) + 1);
    text_at = kLeft + static_cast<int>(columns - 1) * kColumn + kTextGap;
    std::size_t chars = 0;
    for (std::size_t i = 0; i < count; ++i)
      chars = std::max(chars, utf8_length(one_line(picture.nodes[i].label)) + utf8_length(one_line(picture.nodes[i].detail)) + 2);
    width = text_at + static_cast<int>(chars) * kCharWidth;
    height = kTop + static_cast<int>(count) * kRow;
  }
  static std::size_t column(const PictureNode& node) { return std::min(node.column, Picture::kMaxColumns - 1); }
  static int x(const PictureNode& node) { return kLeft + static_cast<int>(column(node)) * kColumn; }
  static int y(std::size_t row) { return kTop + static_cast<int>(row) * kRow; }

  std::size_t count;
  int text_at = 0, width = 0, height = 0;
};

std::string edge_path(const Picture& picture, const PictureEdge& edge) {
  const int x1 = Layout::x(picture.nodes[edge.from]), y1 = Layout::y(edge.from);
  const int x2 = Layout::x(picture.nodes[edge.to]), y2 = Layout::y(edge.to);
  if (edge.is_revision) {
    const int bow = std::min(x1, x2) - kLeft + 4;
    return fmt::format("M{} {}C{} {} {} {} {} {}", x2, y2, bow, y2, bow, y1, x1, y1);
  }
  if (x1 == x2) return fmt::format("M{} {}V{}", x1, y1, y2);
  return fmt::format("M{0} {1}C{0} {2} {3} {1} {3} {2}", x1, y1, y2, x2);
}

void draw_node(Html& page, const PictureNode& node, std::size_t row, const Layout& layout) {
  const std::string x = std::to_string(Layout::x(node)), y = std::to_string(Layout::y(row));
  const std::string text_x = std::to_string(layout.text_at), text_y = std::to_string(Layout::y(row) + 4);
  if (node.link.empty())
    page.open("g");
  else
    page.open("a", {{"href", node.link}});
  page.element("circle", {},
               {{"class", fmt::format("node {}", node.css_class)}, {"cx", x}, {"cy", y}, {"r", std::to_string(kRadius)}});
  page.open("text", {{"x", text_x}, {"y", text_y}}).text(one_line(node.label));
  if (!node.detail.empty()) page.text(" ").element("tspan", one_line(node.detail), {{"class", "dim"}});
  page.close().close();
}

void write_list(Html& page, const Picture& picture, const Layout& layout) {
  page.open("details").element("summary", "The same as a list").open("ol");
  for (std::size_t i = 0; i < layout.count; ++i) {
    const PictureNode& node = picture.nodes[i];
    page.open("li");
    if (node.link.empty())
      page.text(one_line(node.label));
    else
      page.element("a", one_line(node.label), {{"href", node.link}});
    if (!node.detail.empty()) page.text(", ").element("span", one_line(node.detail), {{"class", "soft"}});
    for (const PictureEdge& edge : picture.edges)
      if (edge.to == i && edge.from < layout.count)
        page.text(fmt::format(" ({} {})", edge.is_revision ? "revises" : "after", edge.from + 1));
    page.close();
  }
  page.close().close();
}

}  // namespace

void show_picture(Html& page, const Picture& picture) {
  const Layout layout(picture);
  const std::string width = std::to_string(layout.width), height = std::to_string(layout.height);
  page.open("div", {{"class", "picture"}, {"role", "region"}, {"aria-label", picture.name}, {"tabindex", "0"}});
  page.open("svg", {{"width", width},
                    {"height", height},
                    {"viewBox", fmt::format("0 0 {} {}", width, height)},
                    {"role", "group"},
                    {"aria-label", picture.name}});
  for (const PictureEdge& edge : picture.edges) {
    if (edge.from >= layout.count || edge.to >= layout.count) continue;
    page.element("path", {}, {{"class", edge.is_revision ? "edge revision" : "edge"}, {"d", edge_path(picture, edge)}});
  }
  for (std::size_t i = 0; i < layout.count; ++i) draw_node(page, picture.nodes[i], i, layout);
  page.close().close();
  if (layout.count < picture.nodes.size())
    page.element("p", fmt::format("The first {} of {} are drawn.", layout.count, picture.nodes.size()), {{"class", "soft"}});
  write_list(page, picture, layout);
}

}  // namespace holdfast::web
