#pragma once

// For tests: a copy whose names are chosen to be mistaken for each other, and a short way to rewrite with it.

#include "kinds/transcripts/rewrite/rewrite.h"

#include <gtest/gtest.h>

namespace holdfast::transcripts {

inline const std::string kOldId = "5271c147-0000-4000-8000-0000000000a5";
inline const std::string kNewId = "0199c0de-1111-7222-8333-44445555beef";
inline const std::string kNewMark = "-clone-5555beef";  // what kNewId gives to names
inline const std::string kOldFolder = "-home-dev-demo";
inline const std::string kNewFolder = "-srv-new-demo";
inline const std::string kOldRoot = "/home/dev/demo";
inline const std::string kNewRoot = "/srv/new/demo";
inline const std::string kAgent = "5271c147";  // also how the session's id begins
inline const std::string kSlug = "brave-fox";

inline Identity test_copy() {
  return identity_of_copy({kOldId, kOldFolder}, kNewId, kNewFolder, {kAgent, "a77-clone-00000000"}, {kSlug, "b-clone-11111111"});
}
inline Identity test_move() {
  return identity_of_move({kOldId, kOldFolder}, kNewFolder);
}
inline PathMap test_paths() {
  PathMap paths;
  paths.add(kOldRoot, kNewRoot);
  return paths;
}
inline Artifact test_artifact(ArtifactKind kind = ArtifactKind::main_transcript, std::string path = {}) {
  Artifact artifact;
  artifact.kind = kind;
  artifact.path = path.empty() ? "projects/" + kOldFolder + "/" + kOldId + ".jsonl" : std::move(path);
  return artifact;
}

// One text through one file: complete lines, then what stands behind the last newline.
inline std::string rewritten(Rewriter& rewriter, std::string_view text, ArtifactKind kind = ArtifactKind::main_transcript) {
  std::string out;
  rewriter.begin(test_artifact(kind));
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const bool complete = newline != std::string_view::npos;
    EXPECT_TRUE(rewriter.line(text.substr(0, newline), complete ? "\n" : "", false, out));
    text.remove_prefix(complete ? newline + 1 : text.size());
  }
  EXPECT_TRUE(rewriter.end(out));
  return out;
}

inline RewriteOptions test_options(PathLevel level = PathLevel::fields, std::string up_to = {}) {
  RewriteOptions options;
  options.level = level;
  options.up_to = std::move(up_to);
  return options;
}

// One line, as a clone rewrites it, without its newline.
inline std::string cloned(std::string_view line, PathLevel level = PathLevel::fields) {
  Rewriter rewriter(test_copy(), test_paths(), test_options(level));
  std::string out = rewritten(rewriter, std::string(line) + "\n");
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace holdfast::transcripts
