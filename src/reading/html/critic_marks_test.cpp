#include "reading/html/critic_marks.h"

#include <gtest/gtest.h>

namespace holdfast::reading {
namespace {

TEST(CriticMarks, TheTextAsItStandsIsLeft) {
  EXPECT_EQ(
      without_marks("Kelp grows {--{\"id\":\"c_k3f9\",\"author\":\"Ada's AI\"}@@slowly--}{++{\"id\":\"c_k3f9\"}@@fast++} here."),
      "Kelp grows slowly here.");
  EXPECT_EQ(without_marks("a {~~old~>new~~} b{>>why?<<} {==c==}"), "a old b c");
  EXPECT_EQ(without_marks("code {x} {{y}} {"), "code {x} {{y}} {");
}

TEST(CriticMarks, AMarkThatIsCutOffEndsWithTheText) {
  EXPECT_EQ(without_marks("We retry {--{\"id\":\"c_okedtt37\",\"au"), "We retry ");
  EXPECT_EQ(without_marks("We retry {--three ti"), "We retry three ti");
  EXPECT_EQ(without_marks("We {++never stop"), "We ");
}

}  // namespace
}  // namespace holdfast::reading
