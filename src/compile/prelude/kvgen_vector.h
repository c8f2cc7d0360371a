#pragma once
// float2, int4, ... with HIP's element-wise operators, make_*, and dim3.

// Two- and four-element types are aligned to their size, so that a pointer to one is loaded at
// once; never to more than the 16 bytes that a tensor's base has.
#define __KVGEN_ALIGN(n) __attribute__((aligned((n) > 16 ? 16 : (n))))

#define __KVGEN_EACH1(op, a, b) a.x op b.x
#define __KVGEN_EACH2(op, a, b) a.x op b.x, a.y op b.y
#define __KVGEN_EACH3(op, a, b) a.x op b.x, a.y op b.y, a.z op b.z
#define __KVGEN_EACH4(op, a, b) a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w
#define __KVGEN_UNARY1(op, a) op a.x
#define __KVGEN_UNARY2(op, a) op a.x, op a.y
#define __KVGEN_UNARY3(op, a) op a.x, op a.y, op a.z
#define __KVGEN_UNARY4(op, a) op a.x, op a.y, op a.z, op a.w
#define __KVGEN_ALL1(op, a, b) a.x op b.x
#define __KVGEN_ALL2(op, a, b) a.x op b.x&& a.y op b.y
#define __KVGEN_ALL3(op, a, b) a.x op b.x&& a.y op b.y&& a.z op b.z
#define __KVGEN_ALL4(op, a, b) a.x op b.x&& a.y op b.y&& a.z op b.z&& a.w op b.w

#define __KVGEN_VEC __attribute__((always_inline, host, device)) inline constexpr

#define __KVGEN_BINARY(V, n, op)                                                 \
  friend __KVGEN_VEC V operator op(const V& a, const V& b) {                     \
    return V::__of(__KVGEN_EACH##n(op, a, b));                                   \
  }                                                                              \
  friend __KVGEN_VEC V operator op(const V& a, __scalar b) { return a op V(b); } \
  friend __KVGEN_VEC V operator op(__scalar a, const V& b) { return V(a) op b; } \
  __KVGEN_VEC V& operator op## = (const V& b) { return *this = *this op b; }     \
  __KVGEN_VEC V& operator op## = (__scalar b) { return *this = *this op V(b); }

#define __KVGEN_COMMON(V, T, n)                                                                   \
  using __scalar = T;                                                                             \
  using value_type = T;                                                                           \
  V() = default;                                                                                  \
  __KVGEN_BINARY(V, n, +)                                                                         \
  __KVGEN_BINARY(V, n, -)                                                                         \
  __KVGEN_BINARY(V, n, *)                                                                         \
  __KVGEN_BINARY(V, n, /)                                                                         \
  friend __KVGEN_VEC V operator-(const V& a) { return V::__of(__KVGEN_UNARY##n(-, a)); }          \
  friend __KVGEN_VEC V operator+(const V& a) { return a; }                                        \
  friend __KVGEN_VEC bool operator==(const V& a, const V& b) { return __KVGEN_ALL##n(==, a, b); } \
  friend __KVGEN_VEC bool operator!=(const V& a, const V& b) { return !(a == b); }

#define __KVGEN_INTEGERS(V, n) \
  __KVGEN_BINARY(V, n, %)      \
  __KVGEN_BINARY(V, n, &)      \
  __KVGEN_BINARY(V, n, |)      \
  __KVGEN_BINARY(V, n, ^)      \
  __KVGEN_BINARY(V, n, <<)     \
  __KVGEN_BINARY(V, n, >>)     \
  friend __KVGEN_VEC V operator~(const V& a) { return V::__of(__KVGEN_UNARY##n(~, a)); }

#define __KVGEN_REALS(V, n)

// As in HIP: one value per element, converted; or, explicitly, one value for all.
#define __KVGEN_VECTORS(Base, T, KIND)                                                   \
  struct __KVGEN_ALIGN(sizeof(T)) Base##1 {                                              \
    T x;                                                                                 \
    __KVGEN_COMMON(Base##1, T, 1)                                                        \
    KIND(Base##1, 1)                                                                     \
    __KVGEN_VEC Base##1(T a) : x(a) {}                                                   \
    template <class A>                                                                   \
    static __KVGEN_VEC Base##1 __of(A a) {                                               \
      return Base##1((T)a);                                                              \
    }                                                                                    \
  };                                                                                     \
  struct __KVGEN_ALIGN(2 * sizeof(T)) Base##2 {                                          \
    T x, y;                                                                              \
    __KVGEN_COMMON(Base##2, T, 2)                                                        \
    KIND(Base##2, 2)                                                                     \
    explicit __KVGEN_VEC Base##2(T a) : x(a), y(a) {}                                    \
    template <class A, class B>                                                          \
    __KVGEN_VEC Base##2(A a, B b) : x((T)a), y((T)b) {}                                  \
    template <class A>                                                                   \
    static __KVGEN_VEC Base##2 __of(A a, A b) {                                          \
      return Base##2((T)a, (T)b);                                                        \
    }                                                                                    \
  };                                                                                     \
  struct Base##3 {                                                                       \
    T x, y, z;                                                                           \
    __KVGEN_COMMON(Base##3, T, 3)                                                        \
    KIND(Base##3, 3)                                                                     \
    explicit __KVGEN_VEC Base##3(T a) : x(a), y(a), z(a) {}                              \
    template <class A, class B, class C>                                                 \
    __KVGEN_VEC Base##3(A a, B b, C c) : x((T)a), y((T)b), z((T)c) {}                    \
    template <class A>                                                                   \
    static __KVGEN_VEC Base##3 __of(A a, A b, A c) {                                     \
      return Base##3((T)a, (T)b, (T)c);                                                  \
    }                                                                                    \
  };                                                                                     \
  struct __KVGEN_ALIGN(4 * sizeof(T)) Base##4 {                                          \
    T x, y, z, w;                                                                        \
    __KVGEN_COMMON(Base##4, T, 4)                                                        \
    KIND(Base##4, 4)                                                                     \
    explicit __KVGEN_VEC Base##4(T a) : x(a), y(a), z(a), w(a) {}                        \
    template <class A, class B, class C, class D>                                        \
    __KVGEN_VEC Base##4(A a, B b, C c, D d) : x((T)a), y((T)b), z((T)c), w((T)d) {}      \
    template <class A>                                                                   \
    static __KVGEN_VEC Base##4 __of(A a, A b, A c, A d) {                                \
      return Base##4((T)a, (T)b, (T)c, (T)d);                                            \
    }                                                                                    \
  };                                                                                     \
  __KVGEN_VEC Base##1 make_##Base##1(T a) { return Base##1(a); }                         \
  __KVGEN_VEC Base##2 make_##Base##2(T a, T b) { return Base##2(a, b); }                 \
  __KVGEN_VEC Base##2 make_##Base##2(T a) { return Base##2(a); }                         \
  __KVGEN_VEC Base##3 make_##Base##3(T a, T b, T c) { return Base##3(a, b, c); }         \
  __KVGEN_VEC Base##3 make_##Base##3(T a) { return Base##3(a); }                         \
  __KVGEN_VEC Base##4 make_##Base##4(T a, T b, T c, T d) { return Base##4(a, b, c, d); } \
  __KVGEN_VEC Base##4 make_##Base##4(T a) { return Base##4(a); }

__KVGEN_VECTORS(char, signed char, __KVGEN_INTEGERS)
__KVGEN_VECTORS(uchar, unsigned char, __KVGEN_INTEGERS)
__KVGEN_VECTORS(short, short, __KVGEN_INTEGERS)
__KVGEN_VECTORS(ushort, unsigned short, __KVGEN_INTEGERS)
__KVGEN_VECTORS(int, int, __KVGEN_INTEGERS)
__KVGEN_VECTORS(uint, unsigned int, __KVGEN_INTEGERS)
__KVGEN_VECTORS(long, long, __KVGEN_INTEGERS)
__KVGEN_VECTORS(ulong, unsigned long, __KVGEN_INTEGERS)
__KVGEN_VECTORS(longlong, long long, __KVGEN_INTEGERS)
__KVGEN_VECTORS(ulonglong, unsigned long long, __KVGEN_INTEGERS)
__KVGEN_VECTORS(float, float, __KVGEN_REALS)
__KVGEN_VECTORS(double, double, __KVGEN_REALS)

#undef __KVGEN_VECTORS
#undef __KVGEN_REALS
#undef __KVGEN_INTEGERS
#undef __KVGEN_COMMON
#undef __KVGEN_BINARY

struct dim3 {
  unsigned x, y, z;
  __KVGEN_VEC dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  __KVGEN_VEC dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
  __KVGEN_VEC operator uint3() const { return uint3(x, y, z); }
};
