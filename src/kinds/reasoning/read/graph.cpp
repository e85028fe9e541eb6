#include "kinds/reasoning/read/graph.h"

#include "base/text/text.h"
#include "kinds/reasoning/read/title.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::reasoning {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// The column of each chain: the main one is 0.
std::map<std::string, std::size_t> columns_of(const Graph& graph) {
  std::map<std::string, std::size_t> columns{{"", 0}};
  for (const std::string& branch : graph.branches) columns.emplace(branch, columns.size());
  return columns;
}

std::string remarks(const Thought& thought) {
  std::string text;
  if (thought.type != "reasoning") text += fmt::format(" [{}]", thought.type);
  if (thought.branch_from) text += fmt::format(" from {}", *thought.branch_from);
  if (thought.revises) text += fmt::format(" revises {}", *thought.revises);
  return text;
}

}  // namespace

Result<Graph> read_graph(session::Reader& reader, const session::SessionRecord& record) {
  Graph graph;
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    if (!thought.branch.empty() && std::ranges::find(graph.branches, thought.branch) == graph.branches.end())
      graph.branches.push_back(thought.branch);
    graph.thoughts.push_back(std::move(thought));
    // The beginning and the end tell the story; what falls out is in between.
    if (graph.thoughts.size() > kMaxDrawn) {
      graph.thoughts.erase(graph.thoughts.begin() + kMaxDrawn / 4);
      ++graph.left_out;
    }
    return true;
  }));
  return graph;
}

std::string graph_text(const Graph& graph, std::size_t width) {
  const auto columns = columns_of(graph);
  std::map<std::string, std::int64_t> last;  // seq of the last thought of each chain: its line ends there
  for (const Thought& thought : graph.thoughts) last[thought.branch] = thought.seq;
  std::vector<bool> running(columns.size(), false);
  std::string out;
  for (const Thought& thought : graph.thoughts) {
    const std::size_t mine = columns.at(thought.branch);
    std::string lanes;
    for (std::size_t column = 0; column < columns.size(); ++column)
      lanes += column == mine ? (thought.revises ? "◆ " : "● ") : running[column] ? "│ " : "  ";
    running[mine] = last[thought.branch] != thought.seq;
    std::string text = fmt::format("{}{}{}{} {}", lanes, thought.branch.empty() ? "" : one_line(thought.branch) + ":",
                                   thought.number, remarks(thought), one_line(thought.text));
    if (width > 0) text = shorten(text, width);
    out += text + "\n";
  }
  if (graph.left_out > 0) out += fmt::format("({} thoughts in between are left out)\n", graph.left_out);
  return out;
}

std::string graph_svg(const Graph& graph, std::string_view title) {
  constexpr int kRow = 28, kColumn = 26, kTop = 48, kLeft = 24, kRadius = 6, kTextRoom = 640;
  constexpr std::size_t kShown = 90;
  const auto columns = columns_of(graph);
  const int text_at = kLeft + static_cast<int>(columns.size()) * kColumn + 8;
  const int width = text_at + kTextRoom, height = kTop + static_cast<int>(graph.thoughts.size() + 1) * kRow;
  const auto x_of = [&](const std::string& branch) { return kLeft + static_cast<int>(columns.at(branch)) * kColumn; };
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">)"
      "\n<style>text{{font:13px "
      "system-ui,sans-serif;fill:#222}}.l{{stroke:#789;stroke-width:2;fill:none}}.r{{stroke:#b60;stroke-width:1.5;"
      "fill:none;stroke-dasharray:4 3}}circle{{fill:#468}}.v circle{{fill:#b60}}.s{{fill:#678}}"
      "@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.l{{stroke:#9ab}}circle{{fill:#8bf}}.s{{fill:#9ab}}}}</style>\n"
      R"(<text x="{3}" y="26" font-weight="600">{2}</text>)"
      "\n",
      width, height, escaped(one_line(title)), kLeft);
  std::map<std::pair<std::string, std::int64_t>, int> rows;  // y of each thought
  std::map<std::string, int> above;                          // y of the last one of each chain
  std::string lines, nodes;
  int y = kTop;
  for (const Thought& thought : graph.thoughts) {
    const int x = x_of(thought.branch);
    if (const auto before = above.find(thought.branch); before != above.end())
      lines += fmt::format("<path class=\"l\" d=\"M{0} {1}V{2}\"/>\n", x, before->second, y);
    else if (thought.branch_from)
      if (const auto origin = rows.find({"", *thought.branch_from}); origin != rows.end())
        lines += fmt::format("<path class=\"l\" d=\"M{0} {1}C{0} {2} {3} {1} {3} {2}\"/>\n", x_of(""), origin->second, y, x);
    if (thought.revises)
      if (const auto target = rows.find({thought.revises_main ? "" : thought.branch, *thought.revises}); target != rows.end())
        lines += fmt::format("<path class=\"r\" d=\"M{0} {1}C{2} {1} {2} {3} {4} {3}\"/>\n", x, y, std::min(x, x_of("")) - 18,
                             target->second, x_of(thought.revises_main ? "" : thought.branch));
    nodes += fmt::format(
        R"(<g{0}><circle cx="{1}" cy="{2}" r="{3}"/><text x="{4}" y="{5}">{6}<tspan class="s">{7}</tspan> {8}</text></g>)"
        "\n",
        thought.revises ? " class=\"v\"" : "", x, y, kRadius, text_at, y + 4,
        escaped(thought.branch.empty() ? std::to_string(thought.number)
                                       : fmt::format("{}:{}", shorten(one_line(thought.branch), 20), thought.number)),
        escaped(remarks(thought)), escaped(shorten(one_line(thought.text), kShown)));
    rows[{thought.branch, thought.number}] = y;
    above[thought.branch] = y;
    y += kRow;
  }
  out += lines + nodes;
  if (graph.left_out > 0)
    out +=
        fmt::format("<text x=\"{}\" y=\"{}\" class=\"s\">{} thoughts in between are left out</text>\n", kLeft, y, graph.left_out);
  return out + "</svg>\n";
}

}  // namespace holdfast::reasoning
