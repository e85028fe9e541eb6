#include "cli/program/run.h"

int main(int count, char** words) {
  return holdfast::cli::run(count, words);
}
