#pragma once

// The names of the kinds of session (docs/architecture.md). A kind is a word in the record, not a
// type: the core treats all of them alike, and a record of a kind this program does not know yet is
// still listed, read and verified.

#include <array>
#include <string_view>

namespace holdfast::session {

inline constexpr std::string_view kReasoning = "reasoning";
inline constexpr std::string_view kThread = "thread";
inline constexpr std::string_view kResearch = "research";
inline constexpr std::string_view kDocument = "document";
inline constexpr std::string_view kRun = "run";
inline constexpr std::string_view kTranscript = "transcript";

inline constexpr std::array kKinds = {kReasoning, kThread, kResearch, kDocument, kRun, kTranscript};

}  // namespace holdfast::session
