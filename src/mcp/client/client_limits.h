#pragma once

// Every bound of the client side, with its reason. (limits.h has those of the server.)

#include <chrono>
#include <cstddef>

namespace holdfast::mcp {

// What we send: the SDK servers read at most 10 MB of one message and then exit without a word, so more than this
// is refused here, where it can be explained.
inline constexpr std::size_t kMaxOutgoingBytes = 8 * 1024 * 1024;
// What we read: an 8 MiB file comes back as 17 MB (text and structured copies); beyond this a peer is broken.
inline constexpr std::size_t kMaxIncomingBytes = 64 * 1024 * 1024;
// Written and not yet taken by a server that does not read.
inline constexpr std::size_t kMaxUnreadBytes = 64 * 1024 * 1024;
// Lines on a server's stdout that are not messages: banners and stray prints pass, a program that only prints does not.
inline constexpr int kMaxGarbageInARow = 100;
// Kept of what a server says on stderr.
inline constexpr std::size_t kKeptStderr = 64 * 1024;
// Of that, in an error's message.
inline constexpr std::size_t kShownStderr = 2 * 1024;
// Calls of one client that are not over, waiting ones included. A caller with more has lost count.
inline constexpr std::size_t kMaxCalls = 10'000;
// Requests of the server that are being answered; a person answers one at a time.
inline constexpr std::size_t kMaxServerRequests = 1'000;

// Rounds of questions in one modern call, and the pause before repeating one that only carried state.
inline constexpr int kMaxRounds = 10;
inline constexpr std::chrono::milliseconds kStateOnlyPause{250};

// Pages of one list; a server whose cursor never ends is stopped here.
inline constexpr std::size_t kMaxPages = 1'000;
// Servers announce changes in bursts (two at once right after the handshake is normal): told once.
inline constexpr std::chrono::milliseconds kChangePause{100};

// Attempts to come back after a loss. The first is at once; then the delay doubles.
inline constexpr int kMaxAttempts = 5;
inline constexpr std::chrono::milliseconds kFirstDelay{500};
inline constexpr std::chrono::milliseconds kLongestDelay{30'000};

// Stopping a child: after its stdin was closed, after SIGTERM. Together with the start of the kill under 5 s.
inline constexpr std::chrono::milliseconds kStopGrace{2'000};
// The goodbye (DELETE) of an HTTP session: nobody should wait for a server that is gone.
inline constexpr std::chrono::milliseconds kGoodbye{2'000};

// Streams over HTTP: the wait before coming back when the server names none, and the tries without any progress
// before the call that waits for it is given up.
inline constexpr std::chrono::milliseconds kResumeDelay{1'000};
inline constexpr int kMaxResumes = 5;
// Refusals of one request that are answered with another authorization: a token, a nonce for its proof, more scopes. A server
// that is never content must not send a person to the browser for ever.
inline constexpr int kMaxRefusals = 3;

}  // namespace holdfast::mcp
