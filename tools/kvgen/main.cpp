#include "cli.h"
#include "world.h"

int main(int argc, char** argv) {
  return kvgen::tools::run_cli(argc, argv, kvgen::tools::real_world());
}
