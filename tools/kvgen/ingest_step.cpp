#include "ingest_step.h"

#include <ostream>

namespace kvgen::tools {

Awaitable<Result<std::vector<IngestedSource>>> ingest_step(const World& world, Workshop& shop,
                                                           const std::vector<std::string>& paths,
                                                           const fs::path& bundles,
                                                           SourceOptions options) {
  CO_TRY(const std::vector<Source> sources,
         find_sources(*world.files, std::vector<fs::path>(paths.begin(), paths.end()), options));
  CO_TRY_VOID(co_await shop.open_referee());
  Ingester ingester(*world.files, shop.capture(), shop.referee(), bundles);
  std::size_t done = 0;
  auto taken = co_await ingester.ingest(sources, shop.jobs(), [&](const IngestedSource& one) {
    ++done;
    if (!world.err_is_terminal) return;
    *world.err << "\r\x1b[Kcapturing " << done << "/" << sources.size() << "  " << one.source.name
               << std::flush;
  });
  if (world.err_is_terminal) *world.err << "\r\x1b[K" << std::flush;
  co_return taken;
}

void tell_rejected(const World& world, const std::vector<IngestedSource>& sources) {
  for (const IngestedSource& one : sources) {
    if (one.task) continue;
    const std::string where = one.source.where() + ": ";
    *world.err << "cannot use " << (one.reason.starts_with(where) ? "" : where) << one.reason
               << "\n";
  }
}

}  // namespace kvgen::tools
