#include "referee/convert.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvgen::referee {
namespace {

using c10::IValue;
using c10::TypeKind;
using Kind = Program::Input::Kind;

constexpr std::size_t kListLimit = 4096;

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 16> kTypes = {{
    {"bool", at::kBool},
    {"int8", at::kChar},
    {"uint8", at::kByte},
    {"int16", at::kShort},
    {"uint16", at::kUInt16},
    {"int32", at::kInt},
    {"uint32", at::kUInt32},
    {"int64", at::kLong},
    {"uint64", at::kUInt64},
    {"float16", at::kHalf},
    {"bfloat16", at::kBFloat16},
    {"float32", at::kFloat},
    {"float64", at::kDouble},
    {"complex64", at::kComplexFloat},
    {"complex128", at::kComplexDouble},
    {"float8_e4m3fn", at::kFloat8_e4m3fn},
}};

constexpr std::array<std::pair<std::string_view, at::MemoryFormat>, 4> kFormats = {{
    {"contiguous_format", at::MemoryFormat::Contiguous},
    {"preserve_format", at::MemoryFormat::Preserve},
    {"channels_last", at::MemoryFormat::ChannelsLast},
    {"channels_last_3d", at::MemoryFormat::ChannelsLast3d},
}};

Error expected(std::string_view what) { return {Code::kInvalid, "expected " + std::string(what)}; }

std::optional<at::Scalar> number(const Argument& argument) {
  if (const auto* v = argument.as<bool>()) return at::Scalar(*v);
  if (const auto* v = argument.as<std::int64_t>()) return at::Scalar(*v);
  if (const auto* v = argument.as<double>()) return at::Scalar(*v);
  return std::nullopt;
}

std::optional<std::int64_t> integer(const Argument& argument) {
  if (const auto* v = argument.as<std::int64_t>()) return *v;
  if (const auto* v = argument.as<bool>()) return *v ? 1 : 0;
  return std::nullopt;
}

Program::Input constant(IValue value) { return {Kind::kConstant, std::move(value), {}}; }

// Both a list and a single value serve a list parameter ("int[2] kernel_size").
template <class T, class Read>
Result<Program::Input> list_of(const Argument& argument, std::string_view what, Read read) {
  c10::List<T> out;
  const auto push = [&](const Argument& item) {
    const auto value = read(item);
    if (value) out.push_back(*value);
    return value.has_value();
  };
  if (const auto* items = argument.as<ArgumentList>()) {
    if (items->size() > kListLimit) return expected("a shorter list");
    for (const Argument& item : *items) {
      if (!push(item)) return expected("a list of " + std::string(what));
    }
  } else if (!push(argument)) {
    return expected("a list of " + std::string(what));
  }
  return constant(std::move(out));
}

Result<Program::Input> tensors(const Argument& argument, bool optional) {
  const auto* items = argument.as<ArgumentList>();
  if (items == nullptr || items->size() > kListLimit) return expected("a list of tensors");
  Program::Input input{optional ? Kind::kOptionalTensors : Kind::kTensors, {}, {}};
  for (const Argument& item : *items) {
    const auto* id = item.as<ValueId>();
    if (id == nullptr && !(optional && item.is_null())) return expected("a list of tensors");
    input.slots.push_back(id == nullptr ? -1 : id->id);
  }
  return input;
}

Result<Program::Input> list(const Argument& argument, const c10::TypePtr& element) {
  switch (element->kind()) {
    case TypeKind::TensorType:
      return tensors(argument, false);
    case TypeKind::OptionalType:
      return tensors(argument, true);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return list_of<std::int64_t>(argument, "integers", integer);
    case TypeKind::BoolType:
      return list_of<bool>(argument, "booleans", [](const Argument& item) {
        const auto* v = item.as<bool>();
        return v == nullptr ? std::nullopt : std::optional<bool>(*v);
      });
    case TypeKind::FloatType:
      return list_of<double>(argument, "numbers", [](const Argument& item) {
        const auto value = number(item);
        return value ? std::optional<double>(value->toDouble()) : std::nullopt;
      });
    case TypeKind::NumberType:
      return list_of<at::Scalar>(argument, "numbers", number);
    default:
      return expected("a list this referee cannot make (" + element->str() + ")");
  }
}

Result<Program::Input> dtype(const Argument& argument, const Conversion& conversion) {
  const auto* named = argument.as<DTypeArgument>();
  if (named == nullptr) return expected("a dtype");
  const auto* row = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const auto& r) { return r.first == named->name; });
  if (row == kTypes.end()) return expected("a known dtype, not " + named->name);
  at::ScalarType type = row->second;
  if (conversion.precision == Precision::kWide && !conversion.random) {
    if (c10::isFloatingType(type)) type = at::kDouble;
    if (c10::isComplexType(type)) type = at::kComplexDouble;
  }
  return constant(static_cast<std::int64_t>(type));
}

Result<Program::Input> tensor(const Argument& argument) {
  if (const auto* id = argument.as<ValueId>()) {
    return Program::Input{Kind::kTensor, {}, {id->id}};
  }
  // A Python number given for a tensor promotes types as a number does.
  const auto value = number(argument);
  if (!value) return expected("a tensor");
  at::Tensor wrapped = c10::scalar_to_tensor(*value);
  wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
  return constant(std::move(wrapped));
}

Result<Program::Input> convert_to(const Argument& argument, const c10::TypePtr& type,
                                  const Conversion& conversion) {
  switch (type->kind()) {
    case TypeKind::OptionalType:
      if (argument.is_null()) return constant({});
      return convert_to(argument, type->castRaw<c10::OptionalType>()->getElementType(), conversion);
    case TypeKind::TensorType:
      return tensor(argument);
    case TypeKind::ListType:
      return list(argument, type->castRaw<c10::ListType>()->getElementType());
    case TypeKind::ScalarTypeType:
      return dtype(argument, conversion);
    case TypeKind::LayoutType: {
      const auto* named = argument.as<LayoutArgument>();
      if (named == nullptr || named->name != "strided") return expected("the strided layout");
      return constant(static_cast<std::int64_t>(at::kStrided));
    }
    case TypeKind::MemoryFormatType: {
      const auto* named = argument.as<MemoryFormatArgument>();
      const auto* row = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& r) {
        return named != nullptr && r.first == named->name;
      });
      if (row == kFormats.end()) return expected("a memory format");
      return constant(static_cast<std::int64_t>(row->second));
    }
    case TypeKind::DeviceObjType: {
      const auto* named = argument.as<DeviceArgument>();
      if (named == nullptr || named->name != "cpu") return expected("the device cpu");
      return constant(at::Device(at::kCPU));
    }
    case TypeKind::IntType:
    case TypeKind::SymIntType: {
      const auto value = integer(argument);
      return value ? Result<Program::Input>(constant(*value)) : expected("an integer");
    }
    case TypeKind::FloatType: {
      const auto value = number(argument);
      return value ? Result<Program::Input>(constant(value->toDouble())) : expected("a number");
    }
    case TypeKind::NumberType: {
      const auto value = number(argument);
      return value ? Result<Program::Input>(constant(*value)) : expected("a number");
    }
    case TypeKind::BoolType: {
      const auto value = integer(argument);
      return value ? Result<Program::Input>(constant(*value != 0)) : expected("a boolean");
    }
    case TypeKind::StringType: {
      const auto* text = argument.as<std::string>();
      return text != nullptr ? Result<Program::Input>(constant(*text)) : expected("text");
    }
    default:
      return expected("an argument this referee cannot make (" + type->str() + ")");
  }
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  const auto* row = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const auto& r) { return r.first == to_string(dtype); });
  if (row != kTypes.end()) return row->second;
  switch (dtype) {
    case DType::kFloat8E4M3Fnuz:
      return at::kFloat8_e4m3fnuz;
    case DType::kFloat8E5M2:
      return at::kFloat8_e5m2;
    default:
      return at::kFloat8_e5m2fnuz;
  }
}

Result<Program::Input> convert(const Argument& argument, const c10::Argument& schema,
                               const Conversion& conversion) {
  return convert_to(argument, schema.real_type(), conversion);
}

}  // namespace kvgen::referee
