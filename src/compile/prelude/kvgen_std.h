#pragma once
// The part of the standard library that kernels use: traits, utility, array, limits, min/max.

#define __KVGEN_STD constexpr __attribute__((always_inline, host, device))

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  __KVGEN_STD operator T() const { return v; }
  __KVGEN_STD T operator()() const { return v; }
};
template <bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool c, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool c, class T = void>
using enable_if_t = typename enable_if<c, T>::type;

template <bool c, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool c, class A, class B>
using conditional_t = typename conditional<c, A, B>::type;

template <class...>
using void_t = void;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = T;

// Clang 15, which hiprtc 5.2 holds, has these as templates only.
#define __KVGEN_TRAIT(name) \
  template <class T>        \
  struct name;              \
  template <class T>        \
  using name##_t = typename name<T>::type;
#define __KVGEN_STRIPS(name, matched) \
  __KVGEN_TRAIT(name)                 \
  template <class T>                  \
  struct name : type_identity<T> {};  \
  template <class T>                  \
  struct name<matched> : type_identity<T> {};
__KVGEN_STRIPS(remove_const, const T)
__KVGEN_STRIPS(remove_volatile, volatile T)
__KVGEN_STRIPS(remove_extent, T[])
__KVGEN_STRIPS(remove_reference, T&)
__KVGEN_STRIPS(remove_pointer, T*)
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
struct remove_pointer<T* const> : type_identity<T> {};
template <class T>
struct remove_pointer<T* volatile> : type_identity<T> {};
template <class T>
struct remove_pointer<T* const volatile> : type_identity<T> {};
template <class T, size_t n>
struct remove_extent<T[n]> : type_identity<T> {};
#undef __KVGEN_STRIPS

__KVGEN_TRAIT(remove_cv)
template <class T>
struct remove_cv : remove_const<remove_volatile_t<T>> {};
__KVGEN_TRAIT(remove_cvref)
template <class T>
struct remove_cvref : remove_cv<remove_reference_t<T>> {};

// void and types that cannot be referred to stay as they are.
template <class T, class = void>
struct __kvgen_reference : type_identity<T> {
  using right = T;
};
template <class T>
struct __kvgen_reference<T, void_t<T&>> : type_identity<T&> {
  using right = T&&;
};
__KVGEN_TRAIT(add_lvalue_reference)
template <class T>
struct add_lvalue_reference : __kvgen_reference<T> {};
__KVGEN_TRAIT(add_rvalue_reference)
template <class T>
struct add_rvalue_reference : type_identity<typename __kvgen_reference<T>::right> {};
__KVGEN_TRAIT(add_pointer)
template <class T>
struct add_pointer : type_identity<remove_reference_t<T>*> {};

template <class T>
struct __kvgen_decay : remove_cv<T> {};
template <class T>
struct __kvgen_decay<T[]> : type_identity<T*> {};
template <class T, size_t n>
struct __kvgen_decay<T[n]> : type_identity<T*> {};
template <class R, class... A>
struct __kvgen_decay<R(A...)> : type_identity<R (*)(A...)> {};
__KVGEN_TRAIT(decay)
template <class T>
struct decay : __kvgen_decay<remove_reference_t<T>> {};

__KVGEN_TRAIT(underlying_type)
template <class T>
struct underlying_type : type_identity<__underlying_type(T)> {};

// An integer of n bytes.
template <size_t n>
struct __kvgen_integer;
template <>
struct __kvgen_integer<1> {
  using s = signed char;
  using u = unsigned char;
};
template <>
struct __kvgen_integer<2> {
  using s = short;
  using u = unsigned short;
};
template <>
struct __kvgen_integer<4> {
  using s = int;
  using u = unsigned;
};
template <>
struct __kvgen_integer<8> {
  using s = long;
  using u = unsigned long;
};
__KVGEN_TRAIT(make_signed)
__KVGEN_TRAIT(make_unsigned)
template <class T>
struct make_signed : type_identity<typename __kvgen_integer<sizeof(T)>::s> {};
template <class T>
struct make_unsigned : type_identity<typename __kvgen_integer<sizeof(T)>::u> {};
template <>
struct make_signed<long long> : type_identity<long long> {};
template <>
struct make_signed<unsigned long long> : type_identity<long long> {};
template <>
struct make_unsigned<long long> : type_identity<unsigned long long> {};
template <>
struct make_unsigned<unsigned long long> : type_identity<unsigned long long> {};
#undef __KVGEN_TRAIT

#define __KVGEN_ASK(name, ...)                  \
  template <class T>                            \
  inline constexpr bool name##_v = __VA_ARGS__; \
  template <class T>                            \
  struct name : bool_constant<__VA_ARGS__> {};
__KVGEN_ASK(is_integral, __is_integral(T))
__KVGEN_ASK(is_floating_point, __is_floating_point(T))
__KVGEN_ASK(is_arithmetic, __is_arithmetic(T))
__KVGEN_ASK(is_signed, __is_signed(T))
__KVGEN_ASK(is_unsigned, __is_unsigned(T))
__KVGEN_ASK(is_const, __is_const(T))
__KVGEN_ASK(is_volatile, __is_volatile(T))
__KVGEN_ASK(is_pointer, __is_pointer(T))
__KVGEN_ASK(is_reference, __is_reference(T))
__KVGEN_ASK(is_array, __is_array(T))
__KVGEN_ASK(is_class, __is_class(T))
__KVGEN_ASK(is_enum, __is_enum(T))
__KVGEN_ASK(is_void, __is_void(T))
__KVGEN_ASK(is_trivial, __is_trivially_copyable(T) && __is_trivially_constructible(T))
__KVGEN_ASK(is_trivially_copyable, __is_trivially_copyable(T))
__KVGEN_ASK(is_empty, __is_empty(T))
#undef __KVGEN_ASK

template <class A, class B>
inline constexpr bool is_same_v = __is_same(A, B);
template <class A, class B>
struct is_same : bool_constant<__is_same(A, B)> {};
template <class A, class B>
inline constexpr bool is_base_of_v = __is_base_of(A, B);
template <class A, class B>
struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B>
inline constexpr bool is_convertible_v = __is_convertible_to(A, B);
template <class A, class B>
struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class T, class... A>
inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};

template <class T>
__KVGEN_STD add_rvalue_reference_t<T> declval() noexcept;

template <class... T>
struct common_type;
template <class T>
struct common_type<T> : decay<T> {};
template <class A, class B>
struct common_type<A, B> : decay<decltype(true ? declval<A>() : declval<B>())> {};
template <class A, class B, class... R>
struct common_type<A, B, R...> : common_type<typename common_type<A, B>::type, R...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;

template <class F, class... A>
struct invoke_result : type_identity<decltype(declval<F>()(declval<A>()...))> {};
template <class F, class... A>
using invoke_result_t = typename invoke_result<F, A...>::type;

template <size_t n, size_t align = n>
struct aligned_storage {
  struct type {
    alignas(align) unsigned char bytes[n];
  };
};

template <class T>
__KVGEN_STD T&& forward(remove_reference_t<T>& v) noexcept {
  return static_cast<T&&>(v);
}
template <class T>
__KVGEN_STD T&& forward(remove_reference_t<T>&& v) noexcept {
  return static_cast<T&&>(v);
}
template <class T>
__KVGEN_STD remove_reference_t<T>&& move(T&& v) noexcept {
  return static_cast<remove_reference_t<T>&&>(v);
}
template <class T>
__KVGEN_STD void swap(T& a, T& b) noexcept {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
template <class T, class U = T>
__KVGEN_STD T exchange(T& place, U&& value) {
  T old = static_cast<T&&>(place);
  place = static_cast<U&&>(value);
  return old;
}
template <class T>
__KVGEN_STD T* addressof(T& v) noexcept {
  return __builtin_addressof(v);
}
template <class To, class From>
__KVGEN_STD To bit_cast(const From& v) noexcept {
  return __builtin_bit_cast(To, v);
}

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;
template <class A, class B>
__KVGEN_STD pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
template <class A, class B>
__KVGEN_STD bool operator==(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first == b.first && a.second == b.second;
}

template <class T, size_t n>
struct array {
  using value_type = T;
  T elements[n ? n : 1];
  __KVGEN_STD T& operator[](size_t i) { return elements[i]; }
  __KVGEN_STD const T& operator[](size_t i) const { return elements[i]; }
  __KVGEN_STD T* data() { return elements; }
  __KVGEN_STD const T* data() const { return elements; }
  __KVGEN_STD T* begin() { return elements; }
  __KVGEN_STD const T* begin() const { return elements; }
  __KVGEN_STD T* end() { return elements + n; }
  __KVGEN_STD const T* end() const { return elements + n; }
  __KVGEN_STD T& front() { return elements[0]; }
  __KVGEN_STD T& back() { return elements[n - 1]; }
  __KVGEN_STD void fill(const T& v) {
    for (size_t i = 0; i < n; ++i) elements[i] = v;
  }
  static __KVGEN_STD size_t size() { return n; }
  static __KVGEN_STD bool empty() { return n == 0; }
};
template <class T, class... R>
array(T, R...) -> array<T, 1 + sizeof...(R)>;

template <class T>
class initializer_list {
  const T* first_ = nullptr;
  size_t count_ = 0;
  __KVGEN_STD initializer_list(const T* first, size_t count) : first_(first), count_(count) {}

 public:
  constexpr initializer_list() = default;
  __KVGEN_STD size_t size() const { return count_; }
  __KVGEN_STD const T* begin() const { return first_; }
  __KVGEN_STD const T* end() const { return first_ + count_; }
};

template <class T, T... i>
struct integer_sequence {
  using value_type = T;
  static __KVGEN_STD size_t size() { return sizeof...(i); }
};
template <size_t... i>
using index_sequence = integer_sequence<size_t, i...>;
template <class T, T n>
using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t n>
using make_index_sequence = make_integer_sequence<size_t, n>;

template <class T>
__KVGEN_STD const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
__KVGEN_STD const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T, class Less>
__KVGEN_STD const T& min(const T& a, const T& b, Less less) {
  return less(b, a) ? b : a;
}
template <class T, class Less>
__KVGEN_STD const T& max(const T& a, const T& b, Less less) {
  return less(a, b) ? b : a;
}
template <class T>
__KVGEN_STD T min(initializer_list<T> list) {
  T best = *list.begin();
  for (const T& v : list) best = v < best ? v : best;
  return best;
}
template <class T>
__KVGEN_STD T max(initializer_list<T> list) {
  T best = *list.begin();
  for (const T& v : list) best = best < v ? v : best;
  return best;
}
template <class T>
__KVGEN_STD const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
template <class It, class T>
__KVGEN_STD void fill(It first, It last, const T& v) {
  for (; first != last; ++first) *first = v;
}
template <class It, class Out>
__KVGEN_STD Out copy(It first, It last, Out out) {
  for (; first != last; ++first, ++out) *out = *first;
  return out;
}

#define __KVGEN_OPERATION(name, op)                                              \
  template <class T = void>                                                      \
  struct name {                                                                  \
    __KVGEN_STD auto operator()(const T& a, const T& b) const { return a op b; } \
  };                                                                             \
  template <>                                                                    \
  struct name<void> {                                                            \
    template <class A, class B>                                                  \
    __KVGEN_STD auto operator()(const A& a, const B& b) const {                  \
      return a op b;                                                             \
    }                                                                            \
  };
__KVGEN_OPERATION(plus, +)
__KVGEN_OPERATION(minus, -)
__KVGEN_OPERATION(multiplies, *)
__KVGEN_OPERATION(divides, /)
__KVGEN_OPERATION(less, <)
__KVGEN_OPERATION(greater, >)
__KVGEN_OPERATION(less_equal, <=)
__KVGEN_OPERATION(greater_equal, >=)
__KVGEN_OPERATION(equal_to, ==)
#undef __KVGEN_OPERATION

template <class T>
class numeric_limits {
 public:
  static constexpr bool is_specialized = false;
};

#define __KVGEN_INTEGER(T, low, high)                        \
  template <>                                                \
  class numeric_limits<T> {                                  \
   public:                                                   \
    static constexpr bool is_specialized = true;             \
    static constexpr bool is_integer = true;                 \
    static constexpr bool is_signed = (low) < 0;             \
    static constexpr bool has_infinity = false;              \
    static constexpr int digits = sizeof(T) * 8 - is_signed; \
    static __KVGEN_STD T min() { return low; }               \
    static __KVGEN_STD T lowest() { return low; }            \
    static __KVGEN_STD T max() { return high; }              \
    static __KVGEN_STD T epsilon() { return 0; }             \
  };
__KVGEN_INTEGER(bool, false, true)
__KVGEN_INTEGER(char, CHAR_MIN, CHAR_MAX)
__KVGEN_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX)
__KVGEN_INTEGER(unsigned char, 0, UCHAR_MAX)
__KVGEN_INTEGER(short, SHRT_MIN, SHRT_MAX)
__KVGEN_INTEGER(unsigned short, 0, USHRT_MAX)
__KVGEN_INTEGER(int, INT_MIN, INT_MAX)
__KVGEN_INTEGER(unsigned, 0, UINT_MAX)
__KVGEN_INTEGER(long, LONG_MIN, LONG_MAX)
__KVGEN_INTEGER(unsigned long, 0, ULONG_MAX)
__KVGEN_INTEGER(long long, LLONG_MIN, LLONG_MAX)
__KVGEN_INTEGER(unsigned long long, 0, ULLONG_MAX)
#undef __KVGEN_INTEGER

#define __KVGEN_FLOATING(T, low, high, eps, denormal, inf, nan, bits) \
  template <>                                                         \
  class numeric_limits<T> {                                           \
   public:                                                            \
    static constexpr bool is_specialized = true;                      \
    static constexpr bool is_integer = false;                         \
    static constexpr bool is_signed = true;                           \
    static constexpr bool has_infinity = true;                        \
    static constexpr bool has_quiet_NaN = true;                       \
    static constexpr int digits = bits;                               \
    static __KVGEN_STD T min() { return low; }                        \
    static __KVGEN_STD T lowest() { return -high; }                   \
    static __KVGEN_STD T max() { return high; }                       \
    static __KVGEN_STD T epsilon() { return eps; }                    \
    static __KVGEN_STD T denorm_min() { return denormal; }            \
    static __KVGEN_STD T infinity() { return inf; }                   \
    static __KVGEN_STD T quiet_NaN() { return nan; }                  \
  };
__KVGEN_FLOATING(float, FLT_MIN, FLT_MAX, FLT_EPSILON, FLT_TRUE_MIN, __builtin_inff(),
                 __builtin_nanf(""), FLT_MANT_DIG)
__KVGEN_FLOATING(double, DBL_MIN, DBL_MAX, DBL_EPSILON, DBL_TRUE_MIN, __builtin_inf(),
                 __builtin_nan(""), DBL_MANT_DIG)
__KVGEN_FLOATING(_Float16, (_Float16)6.103515625e-5f, (_Float16)65504.0f, (_Float16)9.765625e-4f,
                 (_Float16)5.9604644775390625e-8f, (_Float16)__builtin_inff(),
                 (_Float16)__builtin_nanf(""), 11)
#undef __KVGEN_FLOATING

}  // namespace std
