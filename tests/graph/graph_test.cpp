#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kvgen/graph/check.h"
#include "kvgen/graph/cost.h"
#include "kvgen/graph/short_form.h"
#include "kvgen/graph/structure.h"
#include "kvgen/graph/values.h"

namespace kvgen {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(KVGEN_SOURCE_DIR "/tests/graph/cases/") + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json attention() { return parse_json(text_of("attention.json")).value(); }

Variant decoded(const Json& json) { return variant_from(json, "v").value(); }

Graph changed(const Json& patch) { return decoded(attention().patch(patch)).graph; }

TEST(GraphCheck, AcceptsASoundVariant) {
  const auto checked = check(decoded(attention()), "v");
  EXPECT_TRUE(checked.ok()) << checked.error().message();
}

TEST(GraphCheck, SaysWhatIsBrokenAndWhere) {
  const Json cases = parse_json(text_of("broken.json")).value();
  for (const Json& broken : cases) {
    const auto checked = check(decoded(attention().patch(broken["patch"])), "v");
    ASSERT_FALSE(checked.ok()) << broken["what"];
    EXPECT_EQ(checked.error().message(), broken["error"].get<std::string>()) << broken["what"];
  }
}

TEST(GraphCheck, VariantsMustAgree) {
  Task task;
  task.variants = {decoded(attention()), decoded(attention())};
  EXPECT_EQ(check_variants_agree(task, "t").error().message(),
            "t: variants[1] has the name small of another");
  task.variants[1].name = "tiny";
  EXPECT_TRUE(check_variants_agree(task, "t").ok());

  task.variants[1].symbols.pop_back();
  EXPECT_EQ(check_variants_agree(task, "t").error().message(),
            "t: variants[1] has other symbols than small");
  task.variants[1] = decoded(attention());
  task.variants[1].name = "tiny";
  task.variants[1].graph.nodes[3].op = "aten::log_softmax";
  EXPECT_EQ(check_variants_agree(task, "t").error().message(),
            "t: variants[1] calls other operators than small");
  task.variants[1].graph.nodes[3].op = "aten::softmax";
  task.variants[1].graph.inputs[2].spec.shape = {400, 64};
  EXPECT_EQ(check_variants_agree(task, "t").error().message(),
            "t: variants[1] has other tensors than small");
}

TEST(GraphShortForm, ReadsLikeTheModule) {
  const Variant variant = decoded(attention());
  EXPECT_EQ(short_form(variant.graph, variant.symbols), text_of("attention.txt"));
}

TEST(GraphValues, AreFreedAfterTheirLastUse) {
  const auto freed = last_uses(decoded(attention()).graph);
  ASSERT_EQ(freed.size(), 7U);
  EXPECT_THAT(freed[0], IsEmpty());
  EXPECT_THAT(freed[2], ElementsAre(ValueId{4}, ValueId{5}));
  EXPECT_THAT(freed[6], ElementsAre(ValueId{9}));  // the output itself is kept
}

TEST(GraphCost, CountsProductsAndWhatMustMove) {
  const GraphCost cost = cost_of(decoded(attention()).graph);
  const double linear = 25600.0 * (2 * 64 + 1);
  const double scores = 2.0 * 40000 * 64;
  const double elementwise = 3 * 40000.0;  // softmax, mul, and max over its input
  EXPECT_DOUBLE_EQ(cost.flops, linear + scores + elementwise + 400);
  // The unused input need not be read.
  EXPECT_EQ(cost.minimal_bytes, 4 * (64 * 64 + 64 + 4 * 100 * 64 + 400));
}

TEST(GraphStructure, LooksThroughSizesAndNames) {
  const std::string same = structural_hash(decoded(attention()).graph);
  EXPECT_EQ(same.size(), 64U);
  const Json other_names = Json::array(
      {{{"op", "replace"}, {"path", "/graph/inputs/2/spec/shape"}, {"value", {8, 17, 64}}},
       {{"op", "replace"}, {"path", "/graph/inputs/2/spec/name"}, {"value", "y"}},
       {{"op", "replace"}, {"path", "/graph/nodes/6/out/0"}, {"value", 55}},
       {{"op", "replace"}, {"path", "/graph/outputs/0/id"}, {"value", 55}}});
  EXPECT_EQ(same, structural_hash(changed(other_names)));
}

TEST(GraphStructure, TellsOperatorsWiringAndScalarsApart) {
  const std::string same = structural_hash(decoded(attention()).graph);
  const std::vector<Json> differences = {
      {{"op", "replace"}, {"path", "/graph/nodes/3/op"}, {"value", "aten::log_softmax"}},
      {{"op", "replace"}, {"path", "/graph/nodes/3/args/1"}, {"value", 1}},
      {{"op", "replace"}, {"path", "/graph/nodes/4/args/1"}, {"value", 2.25}},
      {{"op", "replace"}, {"path", "/graph/nodes/2/args/1"}, {"value", {{"t", 4}}}},
      {{"op", "replace"}, {"path", "/graph/inputs/2/spec/dtype"}, {"value", "float16"}},
      {{"op", "replace"}, {"path", "/graph/outputs/0/id"}, {"value", 9}}};
  for (const Json& difference : differences) {
    EXPECT_NE(same, structural_hash(changed(Json::array({difference})))) << difference;
  }
}

}  // namespace
}  // namespace kvgen
