#pragma once

#include "options.h"
#include "world.h"

// One function a subcommand; each returns an exit code.

namespace kvgen::tools {

int ingest_command(const IngestOptions& options, const World& world);
int run_command(const RunCommandOptions& options, const World& world);
int verify_command(const VerifyCommandOptions& options, const World& world);
int doctor_command(const DoctorOptions& options, const World& world);

}  // namespace kvgen::tools
