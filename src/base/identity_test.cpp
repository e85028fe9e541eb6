#include "base/identity.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Scopes, BringWhatTheyImply) {
  EXPECT_EQ(Scopes({Scope::write}).text(), "read write");
  EXPECT_EQ(Scopes({Scope::review}).text(), "read review");
  EXPECT_EQ(Scopes::all().text(), "read write review admin");
  EXPECT_EQ(Scopes().text(), "");
  EXPECT_TRUE(Scopes().empty());
  EXPECT_FALSE(Scopes({Scope::write, Scope::review}).has(Scope::admin));
}

TEST(Scopes, AreReadAsWordsAndReadBack) {
  EXPECT_EQ(Scopes::parse("read,write").value(), Scopes({Scope::write}));
  EXPECT_EQ(Scopes::parse(" review  read ").value(), Scopes({Scope::review}));
  EXPECT_EQ(Scopes::parse("").value(), Scopes());
  for (const Scopes scopes : {Scopes(), Scopes({Scope::read}), Scopes({Scope::write, Scope::review}), Scopes::all()})
    EXPECT_EQ(Scopes::parse(scopes.text()).value(), scopes);
  for (const char* wrong : {"Read", "read;write", "owner", "read write root"})
    EXPECT_EQ(Scopes::parse(wrong).error().kind, ErrorKind::invalid) << wrong;
}

TEST(Identity, SeesItsProjectsAlone) {
  Identity identity = full_identity("ann");
  EXPECT_TRUE(identity.may_see("")) << "no scope: also what has no root";
  identity.projects = {"file:///a", "file:///b"};
  EXPECT_TRUE(identity.may_see("file:///b"));
  EXPECT_FALSE(identity.may_see("file:///a/inside"));
  EXPECT_FALSE(identity.may_see(""));
  EXPECT_FALSE(identity.may_see(std::vector<std::string>{}));
  EXPECT_TRUE(identity.may_see(std::vector<std::string>{"file:///c", "file:///a"}));
}

TEST(Identity, P3AnIdentityThatNobodyGaveMayNothing) {
  const Identity nobody;
  EXPECT_TRUE(nobody.principal.empty());
  EXPECT_TRUE(nobody.scopes.empty());
  EXPECT_FALSE(nobody.has_token);
  EXPECT_EQ(local_identity(), full_identity("local"));
  EXPECT_TRUE(local_identity().scopes.has(Scope::admin));
}

TEST(Identity, P3WhoSeesLessIsNotToldWhatCameOfTheCallsOfWhoSeesMore) {
  const auto seeing = [](std::vector<std::string> projects, std::string principal = "team:red") {
    Identity identity = full_identity(std::move(principal));
    identity.projects = std::move(projects);
    return identity;
  };
  EXPECT_TRUE(seeing({}).covers(seeing({})));
  EXPECT_TRUE(seeing({}).covers(seeing({"file:///a"})));
  EXPECT_FALSE(seeing({"file:///a"}).covers(seeing({})));
  EXPECT_TRUE(seeing({"file:///a", "file:///b"}).covers(seeing({"file:///b"})));
  EXPECT_FALSE(seeing({"file:///a"}).covers(seeing({"file:///a", "file:///b"})));
  EXPECT_FALSE(seeing({}).covers(seeing({}, "team:blue")));
  EXPECT_FALSE(seeing({}, "").covers(seeing({}, ""))) << "nobody covers nobody";
}

TEST(Identity, NamesCannotBeSpelledAsOtherPrincipals) {
  EXPECT_TRUE(is_principal_name("ann.b_c@example-1"));
  for (const char* wrong : {"", "team:red", "https://issuer|ann", "a|b", "a b", "a/b", "\xc3\xa4"})
    EXPECT_FALSE(is_principal_name(wrong)) << wrong;
  EXPECT_FALSE(is_principal_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace holdfast
