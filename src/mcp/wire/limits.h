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
// Idle life of a legacy session (design 8.11), and how often a used one is written again.
inline constexpr std::chrono::hours kSessionIdleLife{7 * 24};
inline constexpr std::chrono::hours kSessionTouchEvery{1};
// What can be resumed of a legacy stream (design 8.34).
inline constexpr std::chrono::minutes kEventLife{10};
inline constexpr std::size_t kMaxEventsPerStream = 1'000;
// A stream that another process produces is looked at when that process says so; and this often, because it may have died.
inline constexpr std::chrono::seconds kForeignStreamCheck{2};
// The same for tasks that somebody listens to.
inline constexpr std::chrono::seconds kForeignTaskCheck{5};
// Between two looks at the same row, however often somebody is woken.
inline constexpr std::chrono::milliseconds kLookPause{5};
// A process is believed to live this long after it was last heard of, and is heard of this often (design 8.16).
inline constexpr std::chrono::seconds kNodeLife{60};
inline constexpr std::chrono::seconds kNodeBeat{15};
inline constexpr std::chrono::seconds kJoinAgain{1};
// Processes of one store that are told of what concerns all.
inline constexpr std::size_t kMaxNodes = 1'000;
// A message that nobody has taken by then has an addressee that died.
inline constexpr std::chrono::minutes kNodeMessageLife{10};
inline constexpr std::size_t kMaxNodeMessages = 100;  // taken at once
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
// Tasks of this process that are not over: each costs memory.
inline constexpr std::size_t kMaxTasks = 1'000;
// How often those are looked for that must be kept for longer, or have waited too long.
inline constexpr std::chrono::milliseconds kTaskCare{500};
// How long an answer to a task of another process waits to be seen in the task.
inline constexpr std::chrono::seconds kReceiptPatience{2};
// Values of one completion (the specification's maximum).
inline constexpr std::size_t kMaxCompletions = 100;
inline constexpr std::size_t kPageSize = 100;
// Filters of one subscription, and the length of each: they are kept as long as the session.
inline constexpr std::size_t kMaxSubscriptionUris = 1'000;
inline constexpr std::size_t kMaxUriBytes = 8 * 1024;

}  // namespace holdfast::mcp
