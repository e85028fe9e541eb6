#pragma once

// Plans that another session of the home uses, too: those are never deleted with one of them (transcript-archive §8.5).

#include "kinds/transcripts/home/inventory.h"

#include <set>

namespace holdfast::transcripts {

// Of the plan files of the inventory, the paths whose slug stands in the main transcript of any other session (the same id in
// another project counts as another). Reads those transcripts; none when there is no plan. A transcript that cannot be read might
// use any plan, so then all count as used.
Result<std::set<std::string>> plans_in_use_elsewhere(const Home& home, const Inventory& inventory);

}  // namespace holdfast::transcripts
