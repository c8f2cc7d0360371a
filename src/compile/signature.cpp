#include "compile/signature.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/RecordLayout.h>

#include <optional>

namespace kvgen {
namespace {

using Element = KernelParameter::Element;

struct Value {
  Element element = Element::kFloating;
  int element_bytes = 4;
  int components = 1;
};

bool names_bfloat16(llvm::StringRef name) {
  return name.contains("bfloat16") || name.contains("bf16");
}

std::optional<Value> value_of(const clang::ASTContext& context, clang::QualType type);

std::optional<Value> builtin_value(const clang::ASTContext& context,
                                   const clang::BuiltinType& type) {
  const int bytes = static_cast<int>(context.getTypeSizeInChars(&type).getQuantity());
  switch (type.getKind()) {
    case clang::BuiltinType::Bool:
      return Value{Element::kBool, bytes, 1};
    case clang::BuiltinType::BFloat16:
      return Value{Element::kBFloat16, bytes, 1};
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16:
    case clang::BuiltinType::Float:
    case clang::BuiltinType::Double:
      return Value{Element::kFloating, bytes, 1};
    default:
      break;
  }
  if (bytes > 8 || !type.isInteger()) return std::nullopt;
  return Value{type.isSignedInteger() ? Element::kSigned : Element::kUnsigned, bytes, 1};
}

// A record of one scalar type throughout: __half, float4, __hip_bfloat162. A union counts as
// its first member.
std::optional<Value> record_value(const clang::ASTContext& context,
                                  const clang::RecordDecl& record) {
  if (!record.isCompleteDefinition() || record.isInvalidDecl()) return std::nullopt;
  std::optional<Value> whole;
  const auto take = [&](const std::optional<Value>& part) {
    if (!part) return false;
    if (!whole) {
      whole = part;
      return true;
    }
    if (whole->element != part->element || whole->element_bytes != part->element_bytes) {
      return false;
    }
    whole->components += part->components;
    return true;
  };
  if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(&record)) {
    for (const auto& base : cxx->bases()) {
      const auto* inherited = base.getType()->getAsCXXRecordDecl();
      if (inherited != nullptr && inherited->isEmpty()) continue;
      if (!take(value_of(context, base.getType()))) return std::nullopt;
    }
  }
  for (const clang::FieldDecl* field : record.fields()) {
    if (!take(value_of(context, field->getType()))) return std::nullopt;
    if (record.isUnion()) break;
  }
  if (whole && whole->element_bytes == 2 && whole->components == 1 &&
      names_bfloat16(record.getName())) {
    whole->element = Element::kBFloat16;
  }
  return whole;
}

std::optional<Value> value_of(const clang::ASTContext& context, clang::QualType type) {
  const clang::QualType canonical = type.getCanonicalType().getUnqualifiedType();
  if (const auto* builtin = llvm::dyn_cast<clang::BuiltinType>(canonical)) {
    return builtin_value(context, *builtin);
  }
  if (const auto* vector = llvm::dyn_cast<clang::VectorType>(canonical)) {
    auto value = value_of(context, vector->getElementType());
    if (value) value->components *= static_cast<int>(vector->getNumElements());
    return value;
  }
  if (const auto* array = llvm::dyn_cast<clang::ConstantArrayType>(canonical)) {
    auto value = value_of(context, array->getElementType());
    if (!value || array->getSize().ugt(64)) return std::nullopt;
    value->components *= static_cast<int>(array->getZExtSize());
    return value;
  }
  if (const auto* enumeration = canonical->getAsEnumDecl()) {
    return value_of(context, enumeration->getIntegerType());
  }
  if (const auto* record = canonical->getAsRecordDecl()) return record_value(context, *record);
  return std::nullopt;
}

bool is_plain_char(clang::QualType type) {
  return type->isSpecificBuiltinType(clang::BuiltinType::Char_S) ||
         type->isSpecificBuiltinType(clang::BuiltinType::Char_U);
}

// Half, bfloat16 and the 8-bit floats are records of the prelude; anything else by value is the
// candidate's own structure.
bool is_scalar_record(const Value& value) {
  return value.components == 1 && value.element_bytes <= 2;
}

}  // namespace

Result<std::vector<KernelParameter>> signature_of(const clang::FunctionDecl& kernel) {
  const clang::ASTContext& context = kernel.getASTContext();
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.Bool = true;

  std::vector<KernelParameter> parameters;
  const auto refuse = [&](const KernelParameter& parameter, const std::string& why) {
    const std::string name = parameter.name.empty() ? "number " + std::to_string(parameters.size())
                                                    : '"' + parameter.name + '"';
    return Error(Code::kInvalid, "parameter " + name + " (" + parameter.type + "): " + why);
  };
  if (kernel.isVariadic()) return Error(Code::kInvalid, "it takes a variable argument list");
  for (const clang::ParmVarDecl* declared : kernel.parameters()) {
    KernelParameter parameter;
    parameter.name = declared->getNameAsString();
    parameter.type = declared->getType().getUnqualifiedType().getAsString(policy);
    const clang::QualType type = declared->getType().getCanonicalType().getUnqualifiedType();
    if (declared->hasDefaultArg()) return refuse(parameter, "a default argument is not supported");
    if (type->isReferenceType()) {
      return refuse(parameter, "references are not supported; take a pointer or a value");
    }
    if (type->isFunctionPointerType() || type->isMemberPointerType()) {
      return refuse(parameter, "function and member pointers are not supported");
    }
    if (type->isPointerType()) {
      const clang::QualType pointee = type->getPointeeType();
      if (pointee->isAnyPointerType()) {
        return refuse(parameter, "pointers to pointers are not supported");
      }
      parameter.form = KernelParameter::Form::kPointer;
      parameter.to_const = pointee.isConstQualified();
      if (pointee->isVoidType() || is_plain_char(pointee)) {
        parameter.element = Element::kOpaque;
        parameter.element_bytes = 1;
        parameters.push_back(std::move(parameter));
        continue;
      }
      const auto value = value_of(context, pointee);
      if (!value) return refuse(parameter, "pointers to structures are not supported");
      parameter.element = value->element;
      parameter.element_bytes = value->element_bytes;
      parameter.components = value->components;
      parameters.push_back(std::move(parameter));
      continue;
    }
    const auto value = value_of(context, type);
    if (!value || value->components != 1 || (type->isRecordType() && !is_scalar_record(*value))) {
      return refuse(parameter, type->isRecordType() || type->isVectorType()
                                   ? "structures and vectors by value are not supported; pass "
                                     "their members or a pointer"
                                   : "this type is not supported");
    }
    parameter.form = KernelParameter::Form::kScalar;
    parameter.element = value->element;
    parameter.element_bytes = value->element_bytes;
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

int launch_bound_of(const clang::FunctionDecl& kernel) {
  const auto* attribute = kernel.getAttr<clang::CUDALaunchBoundsAttr>();
  if (attribute == nullptr || attribute->getMaxThreads() == nullptr) return 0;
  const auto value = attribute->getMaxThreads()->getIntegerConstantExpr(kernel.getASTContext());
  return value ? static_cast<int>(value->getLimitedValue(1U << 20)) : 0;
}

}  // namespace kvgen
