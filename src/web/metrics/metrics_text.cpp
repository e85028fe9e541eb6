#include "web/metrics/metrics_text.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

void append_escaped(std::string& out, std::string_view text, bool quoted) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (quoted && c == '"')) out += '\\';
      out += c;
    }
  }
}

}  // namespace

void MetricsText::begin(std::string_view name, std::string_view help, std::string_view type) {
  name_ = fmt::format("{}{}", name.starts_with("process_") ? "" : "holdfast_", name);
  text_ += fmt::format("# HELP {} ", name_);
  append_escaped(text_, help, false);
  text_ += fmt::format("\n# TYPE {} {}\n", name_, type);
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view last_label, std::string_view last_value,
                       std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  const auto add = [&](std::string_view name, std::string_view content) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    append_escaped(text_, content, true);
    text_ += '"';
    before = ',';
  };
  for (const Label& label : labels) add(label.name, label.value);
  if (!last_label.empty()) add(last_label, last_value);
  if (before == ',') text_ += '}';
  text_ += ' ';
  text_ += value;
  text_ += '\n';
}

void MetricsText::sample(Labels labels, std::uint64_t value) {
  line({}, labels, {}, {}, fmt::format("{}", value));
}

void MetricsText::sample(Labels labels, double value) {
  line({}, labels, {}, {}, fmt::format("{}", value));
}

void MetricsText::spread(Labels labels, const Histogram::Snapshot& histogram, double unit) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.bounds.size(); ++i) {
    below += histogram.counts[i];
    line("_bucket", labels, "le", fmt::format("{:.6g}", static_cast<double>(histogram.bounds[i]) * unit),
         fmt::format("{}", below));
  }
  line("_bucket", labels, "le", "+Inf", fmt::format("{}", histogram.count));
  line("_sum", labels, {}, {}, fmt::format("{:.9g}", static_cast<double>(histogram.sum) * unit));
  line("_count", labels, {}, {}, fmt::format("{}", histogram.count));
}

void MetricsText::single(std::string_view name, std::string_view help, std::string_view type, std::uint64_t value) {
  begin(name, help, type);
  sample({}, value);
}

}  // namespace holdfast::web
