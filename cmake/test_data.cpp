#include "base/files/test_data.h"

namespace holdfast {

std::string test_data(const std::string& below) {
  return below.empty() ? HOLDFAST_TEST_DATA : HOLDFAST_TEST_DATA "/" + below;
}

}  // namespace holdfast
