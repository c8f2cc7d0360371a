#include "kvgen/referee/engine.h"
#include "kvgen/worker/serve.h"

int main() {
  kvgen::RefereeEngine engine;
  return kvgen::serve(kvgen::kWorkerSocket, kvgen::RefereeEngine::hello(),
                      [&](const std::string& op, kvgen::Message body) {
                        return engine.handle(op, std::move(body));
                      });
}
