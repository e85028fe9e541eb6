// Any bytes as a line of a transcript, as a whole file and as a path: nothing crashes, a line that was JSON is JSON again, of one
// that was not nothing changes but the session's id, in one piece or in several, and translated paths are not translated again.

#include "kinds/transcripts/rewrite/rewrite.h"

#include <cstdint>

using namespace holdfast;
using namespace holdfast::transcripts;

namespace {

const std::string kOld = "000000a5-0000-4000-8000-0000000000a5";
const std::string kNew = "0199c0de-1111-7222-8333-44445555beef";

void require(bool holds) {
  if (!holds) __builtin_trap();
}

PathMap paths(const char* from, const char* to) {
  PathMap map;
  map.add(from, to);
  map.add("C:\\u", "/u");
  return map;
}

std::string line_through(Rewriter& rewriter, std::string_view line) {
  Artifact artifact;
  artifact.kind = ArtifactKind::main_transcript;
  std::string out;
  rewriter.begin(artifact);
  require(rewriter.line(line, "", false, out).has_value());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view line(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr PathLevel kLevels[] = {PathLevel::none, PathLevel::cwd, PathLevel::fields, PathLevel::all};
  RewriteOptions options;
  options.level = kLevels[choice % 4];
  options.translate_files = choice & 4;
  const bool moves = choice & 8;
  Identity identity = moves ? identity_of_move({kOld, "-p"}, "-q") : identity_of_copy({kOld, "-p"}, kNew, "-q", {"a1"}, {"s"});
  identity.fresh_uuids = choice & 16;
  Rewriter rewriter(identity, paths("/p", "/new/q"), options);

  const std::string out = line_through(rewriter, line);
  jsonl::Scanner scanner;
  const jsonl::LineReport report = scanner.shape(line);
  const bool opaque = !report.parsed() && report.shape != jsonl::LineShape::blank;
  if (opaque) {
    require(moves ? out == line : out.size() == line.size() && !out.contains(kOld));
    std::string pieces;
    rewriter.begin({});
    const std::size_t cut = size % (line.size() + 1);
    require(rewriter.line(line.substr(0, cut), "", true, pieces).has_value());
    require(rewriter.line(line.substr(cut), "\n", true, pieces).has_value());
    require(pieces == out + "\n");
  } else if (!report.parsed())
    require(out == line);
  else if (!out.empty())
    require(scanner.shape(out).parsed());
  if (rewriter.counts().edited_lines + rewriter.counts().dropped_lines == 0) require(out == line);
  if (moves && report.parsed()) require(scanner.shape(out).shape == report.shape);

  Artifact file;
  file.kind = choice & 32 ? ArtifactKind::tool_result : ArtifactKind::workflow_run;
  file.path = choice & 64 ? "x.json" : "x.txt";
  rewriter.begin(file);
  std::string whole;
  require(rewriter.whole(line, whole).has_value());

  const PathMap map = paths("/p", "/new/q");
  std::size_t end = 0;
  for (const PathMap::Match& match : map.occurrences(line)) {
    require(match.from >= end && match.to >= match.from && match.to <= line.size());
    end = match.to;
  }
  if (const auto once = map.translate(line)) require(!map.translate(*once));
  return 0;
}
