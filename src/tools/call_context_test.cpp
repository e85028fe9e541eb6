#include "tools/call_context.h"

#include <gtest/gtest.h>

namespace holdfast::tools {
namespace {

TEST(CallContext, Tools_3_ErrorWordsAreThoseOfTheExitCodes) {
  using enum ErrorKind;
  EXPECT_EQ(exit_word(invalid), "usage");
  EXPECT_EQ(exit_word(not_found), "not_found");
  EXPECT_EQ(exit_word(ambiguous), "ambiguous");
  for (ErrorKind kind : {refused, conflict}) EXPECT_EQ(exit_word(kind), "refused");
  for (ErrorKind kind : {corrupt, too_large}) EXPECT_EQ(exit_word(kind), "bad_archive");
  for (ErrorKind kind : {unavailable, timeout, unauthorised}) EXPECT_EQ(exit_word(kind), "network");
  for (ErrorKind kind : {cancelled, io, internal}) EXPECT_EQ(exit_word(kind), "failed");
}

TEST(CallContext, OnlyTheUserOfTheMachineMayUseItsFiles) {
  mcp::Caller caller;
  caller.transport = mcp::Transport::http;
  caller.principal = "ann";
  auto refused = check_owner(caller);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  caller.principal = "local";
  EXPECT_TRUE(check_owner(caller));
  caller.transport = mcp::Transport::stdio;
  caller.principal = "ann";  // the setting `principal` names whose sessions of the store they are; the files are still the user's
  EXPECT_TRUE(check_owner(caller));
}

}  // namespace
}  // namespace holdfast::tools
