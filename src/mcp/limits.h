#pragma once

// Every bound of the protocol layer, with its reason.

#include <chrono>
#include <cstddef>

namespace holdfast::mcp {

// A line on our own stdin (design 8.34). A longer one is answered with an error and skipped.
inline constexpr std::size_t kMaxLineBytes = 16 * 1024 * 1024;
// Requests one connection may have running; a client that exceeds it is told to wait.
inline constexpr std::size_t kMaxRunningPerConnection = 1'000;
// Messages in one 2025-03-26 batch.
inline constexpr std::size_t kMaxBatch = 100;
// Legacy sessions kept in memory; the store holds the rest.
inline constexpr std::size_t kMaxCachedSessions = 10'000;
// A session row found in the store is believed this long before it is looked up again, so that a
// DELETE on another node takes effect here.
inline constexpr std::chrono::seconds kSessionRecheck{2};
// Idle life of a legacy session (design 8.11), and how often a used one is written again.
inline constexpr std::chrono::hours kSessionIdleLife{7 * 24};
inline constexpr std::chrono::hours kSessionTouchEvery{1};
// What can be resumed of a legacy stream (design 8.34).
inline constexpr std::chrono::minutes kEventLife{10};
inline constexpr std::size_t kMaxEventsPerStream = 1'000;
// How often a stream that another process produces is looked at while a client waits for it.
inline constexpr std::chrono::milliseconds kForeignStreamPoll{300};
// The wait we ask of a client whose stream is closed on purpose.
inline constexpr std::chrono::milliseconds kReconnectDelay{500};
// Rounds of questions in one legacy call; a client that keeps answering nonsense is not asked for ever.
inline constexpr int kMaxQuestionRounds = 8;
// How long a requestState is good for: a person may have to answer.
inline constexpr std::chrono::minutes kRequestStateLife{60};
// Tasks: life after the last change when the tool does not say, and the poll interval we suggest.
inline constexpr std::chrono::milliseconds kTaskLife{3'600'000};
inline constexpr std::chrono::milliseconds kTaskPoll{1'000};
inline constexpr std::chrono::milliseconds kLongTaskPoll{5'000};  // of work that outlives its process: it takes minutes
// Tasks of this process that are not over: each costs memory, and a look into its inbox twice a second.
inline constexpr std::size_t kMaxTasks = 1'000;
// How often answers that arrived at another process are looked for while a local task waits.
inline constexpr std::chrono::milliseconds kTaskInboxPoll{500};
// Values of one completion (the specification's maximum).
inline constexpr std::size_t kMaxCompletions = 100;
inline constexpr std::size_t kPageSize = 100;
// Filters of one subscription, and the length of each: they are kept as long as the session.
inline constexpr std::size_t kMaxSubscriptionUris = 1'000;
inline constexpr std::size_t kMaxUriBytes = 8 * 1024;

}  // namespace holdfast::mcp
