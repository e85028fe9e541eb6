#include "base/schema/schema_pattern.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxPatternBytes = 16 * 1024;       // longer ones are data, not patterns
constexpr std::int64_t kPatternMemory = 2 * 1024 * 1024;  // program and states of one pattern; \p{L}{1,100} needs one
constexpr std::size_t kUnitsPerStep = 64;  // byte * instruction: two million steps of the worst pattern take some seconds

// Large programs mostly are \p{L} repeated, of which few instructions are alive at a time.
constexpr std::size_t kMaxCountedInstructions = 8000;

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> program) : program_(std::move(program)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::compile(std::string_view ecma) {
  const std::string shown = shorten(ecma, 80);
  if (ecma.size() > kMaxPatternBytes) {
    return fail(ErrorKind::too_large, fmt::format("pattern \"{}\" is longer than {} bytes", shown, kMaxPatternBytes));
  }
  auto translated = to_re2(ecma);
  if (!translated) return fail(std::move(translated).error().within(fmt::format("pattern \"{}\"", shown)));

  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kPatternMemory);
  auto program = std::make_unique<re2::RE2>(*translated, options);
  if (!program->ok()) {
    const bool large = program->error_code() == re2::RE2::ErrorPatternTooLarge;
    return fail(large ? ErrorKind::too_large : ErrorKind::invalid, fmt::format("pattern \"{}\": {}", shown, program->error()));
  }
  return Pattern(std::move(program));
}

bool Pattern::found_in(std::string_view text) const {
  return program_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::size() const {
  return static_cast<std::size_t>(program_->ProgramSize());
}

std::size_t Pattern::cost(std::size_t bytes) const {
  return 1 + bytes * std::min(size(), kMaxCountedInstructions) / kUnitsPerStep;
}

}  // namespace holdfast::schema
