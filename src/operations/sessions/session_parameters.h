#pragma once

// What several operations on sessions of the store can be given.

#include "operations/parameter.h"

namespace holdfast::operations {

inline constexpr Parameter kRecord{
    .name = "session", .help = "id, or a unique start of it", .required = true, .may_be_empty = false, .option = "ID"};
inline constexpr Parameter kMaybeRecord{
    .name = "session", .help = "id, or a unique start of it", .may_be_empty = false, .option = "ID"};
inline constexpr Parameter kExpectedRev{
    .name = "expected_rev", .type = Parameter::Type::number, .help = "refuse the change when rev differs"};

}  // namespace holdfast::operations
