// The arithmetic of a launch plan: int64 with every overflow an error, division that
// rounds down, fractions in float64.
namespace kvgen_launch {

inline thread_local const char* current_place = "";  // of the plan, for messages

[[noreturn]] inline void fail(const std::string& what) {
  TORCH_CHECK(false, current_place, ": ", what);
  std::abort();
}

struct Number {
  bool real = false;
  std::int64_t i = 0;
  double d = 0;

  Number() = default;
  explicit Number(std::int64_t value) : i(value) {}
  explicit Number(double value) : real(true), d(value) {}
  [[nodiscard]] double as_real() const { return real ? d : static_cast<double>(i); }
};

inline std::int64_t whole(const Number& a) {
  if (a.real) fail("a fraction where an integer is needed");
  return a.i;
}
inline bool truth(const Number& a) { return a.real ? a.d != 0 : a.i != 0; }
inline Number from_bool(bool value) { return Number(std::int64_t{value ? 1 : 0}); }
inline Number finite(double value) {
  if (!std::isfinite(value)) fail("no finite number");
  return Number(value);
}

inline Number operator+(const Number& a, const Number& b) {
  if (a.real || b.real) return finite(a.as_real() + b.as_real());
  std::int64_t out = 0;
  if (__builtin_add_overflow(a.i, b.i, &out)) fail("overflow");
  return Number(out);
}
inline Number operator-(const Number& a, const Number& b) {
  if (a.real || b.real) return finite(a.as_real() - b.as_real());
  std::int64_t out = 0;
  if (__builtin_sub_overflow(a.i, b.i, &out)) fail("overflow");
  return Number(out);
}
inline Number operator-(const Number& a) {
  return a.real ? Number(-a.d) : Number(std::int64_t{0}) - a;
}
inline Number operator*(const Number& a, const Number& b) {
  if (a.real || b.real) return finite(a.as_real() * b.as_real());
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a.i, b.i, &out)) fail("overflow");
  return Number(out);
}
inline Number floor_div(const Number& x, const Number& y) {
  const std::int64_t a = whole(x);
  const std::int64_t b = whole(y);
  if (b == 0) fail("division by zero");
  if (a == INT64_MIN && b == -1) fail("overflow");
  return Number(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
}
inline Number operator/(const Number& a, const Number& b) { return floor_div(a, b); }
inline Number real_div(const Number& a, const Number& b) {
  if (b.as_real() == 0) fail("division by zero");
  return finite(a.as_real() / b.as_real());
}
inline Number operator%(const Number& x, const Number& y) {
  const std::int64_t a = whole(x);
  const std::int64_t b = whole(y);
  if (b == 0) fail("division by zero");
  if (b == -1) return Number(std::int64_t{0});
  const std::int64_t rest = a % b;
  return Number(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
inline Number operator<<(const Number& x, const Number& y) {
  const std::int64_t a = whole(x);
  const std::int64_t by = whole(y);
  if (by < 0 || by > 63) fail("a shift beyond 0 to 63");
  const auto out = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by);
  if (out >> by != a) fail("overflow");
  return Number(out);
}
inline Number operator>>(const Number& x, const Number& y) {
  const std::int64_t a = whole(x);
  const std::int64_t by = whole(y);
  if (by < 0 || by > 63) fail("a shift beyond 0 to 63");
  return Number(a >> by);
}
inline Number operator&(const Number& a, const Number& b) { return Number(whole(a) & whole(b)); }
inline Number operator|(const Number& a, const Number& b) { return Number(whole(a) | whole(b)); }
inline Number operator^(const Number& a, const Number& b) { return Number(whole(a) ^ whole(b)); }
inline Number operator~(const Number& a) { return Number(~whole(a)); }
inline Number operator!(const Number& a) { return from_bool(!truth(a)); }

inline bool less(const Number& a, const Number& b) {
  return a.real || b.real ? a.as_real() < b.as_real() : a.i < b.i;
}
inline bool same(const Number& a, const Number& b) {
  return a.real || b.real ? a.as_real() == b.as_real() : a.i == b.i;
}
inline Number operator==(const Number& a, const Number& b) { return from_bool(same(a, b)); }
inline Number operator!=(const Number& a, const Number& b) { return from_bool(!same(a, b)); }
inline Number operator<(const Number& a, const Number& b) { return from_bool(less(a, b)); }
inline Number operator>(const Number& a, const Number& b) { return from_bool(less(b, a)); }
inline Number operator<=(const Number& a, const Number& b) { return from_bool(!less(b, a)); }
inline Number operator>=(const Number& a, const Number& b) { return from_bool(!less(a, b)); }

inline Number min(std::initializer_list<Number> list) {
  Number best = *list.begin();
  for (const Number& one : list) best = less(one, best) ? one : best;
  return best;
}
inline Number max(std::initializer_list<Number> list) {
  Number best = *list.begin();
  for (const Number& one : list) best = less(best, one) ? one : best;
  return best;
}
inline Number abs(const Number& a) {
  if (a.real) return Number(std::abs(a.d));
  return a.i < 0 ? -a : a;
}
inline Number ceil_div(const Number& a, const Number& b) {
  const Number down = floor_div(a, b);
  return b.i != -1 && a.i % b.i != 0 ? Number(down.i + 1) : down;
}
inline Number round_up(const Number& a, const Number& b) {
  if (whole(b) < 1) fail("round_up to a multiple below 1");
  return ceil_div(a, b) * b;
}
inline Number log2_floor(const Number& a) {
  if (whole(a) < 1) fail("the logarithm of a number below 1");
  return Number(std::int64_t{63 - __builtin_clzll(static_cast<std::uint64_t>(a.i))});
}
inline Number log2_ceil(const Number& a) {
  const Number down = log2_floor(a);
  return (a.i & (a.i - 1)) != 0 ? Number(down.i + 1) : down;
}
inline Number next_pow2(const Number& a) {
  if (whole(a) < 0) fail("next_pow2 of a negative number");
  if (a.i > std::int64_t{1} << 62) fail("overflow");
  return Number(a.i <= 1 ? std::int64_t{1} : std::int64_t{1} << log2_ceil(a).i);
}
inline Number sqrt(const Number& a) { return finite(std::sqrt(a.as_real())); }
inline Number rsqrt(const Number& a) { return finite(1.0 / std::sqrt(a.as_real())); }
inline Number exp(const Number& a) { return finite(std::exp(a.as_real())); }
inline Number log(const Number& a) { return finite(std::log(a.as_real())); }
inline Number pow(const Number& a, const Number& b) {
  return finite(std::pow(a.as_real(), b.as_real()));
}

inline std::size_t dimension(const at::Tensor& tensor, const Number& index) {
  const std::int64_t rank = tensor.dim();
  const std::int64_t at = whole(index) < 0 ? index.i + rank : index.i;
  if (at < 0 || at >= rank) fail("a dimension out of range");
  return static_cast<std::size_t>(at);
}
inline Number dim_of(const at::Tensor& tensor, const Number& index) {
  return Number(tensor.sizes()[dimension(tensor, index)]);
}
inline Number numel_of(const at::Tensor& tensor) { return Number(tensor.numel()); }
inline Number stride_of(const at::Tensor& tensor, const Number& index) {
  std::int64_t out = 1;
  const std::size_t at = dimension(tensor, index);
  for (std::size_t k = at + 1; k < tensor.sizes().size(); ++k) out *= tensor.sizes()[k];
  return Number(out);
}

// A let is computed when it is first used.
class Let {
 public:
  explicit Let(std::function<Number()> compute) : compute_(std::move(compute)) {}
  Number operator()() {
    if (!known_) known_ = compute_();
    return *known_;
  }

 private:
  std::function<Number()> compute_;
  std::optional<Number> known_;
};

// ---- numbers as a kernel's parameters take them ----

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool infinity;
  double largest;
  bool negative_zero;
};
inline constexpr Format kFloat16{5, 10, 15, true, 65504.0, true};
inline constexpr Format kBFloat16{8, 7, 127, true, 0x1.FEp127, true};
inline constexpr Format kFloat32{8, 23, 127, true, 0x1.FFFFFEp127, true};
inline constexpr Format kFloat64{11, 52, 1023, true, 0x1.FFFFFFFFFFFFFp1023, true};
inline constexpr Format kFloat8E4M3{4, 3, 7, false, 448.0, true};
inline constexpr Format kFloat8E4M3Fnuz{4, 3, 8, false, 240.0, false};
inline constexpr Format kFloat8E5M2{5, 2, 15, true, 57344.0, true};
inline constexpr Format kFloat8E5M2Fnuz{5, 2, 16, false, 57344.0, false};

// Rounded once, to nearest even.
inline std::uint64_t real_bits(const Number& number, const Format& format) {
  const double value = number.as_real();
  const std::uint64_t sign =
      std::signbit(value) ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
  if (std::isinf(value)) {
    if (!format.infinity) fail("infinity does not exist in this type");
    return sign | ((std::uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  }
  const std::uint64_t zero = format.negative_zero ? sign : 0;
  const double magnitude = std::abs(value);
  if (magnitude == 0) return zero;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const double rounded = std::ldexp(units, exponent - format.mantissa_bits);
  if (rounded > format.largest) fail("a number beyond its type");
  if (rounded == 0) return zero;
  const auto biased = static_cast<std::uint64_t>(exponent + format.bias - 1);
  return sign | ((biased << format.mantissa_bits) + static_cast<std::uint64_t>(units));
}

inline Number rounded(const Number& number, const Format& format) {
  const double value = number.as_real();
  const double magnitude = std::abs(value);
  if (magnitude == 0 || std::isinf(value)) return Number(value);
  real_bits(number, format);  // fails when it is beyond the type
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  return Number(std::copysign(std::ldexp(units, exponent - format.mantissa_bits), value));
}

inline Number fitting(const Number& number, int bits, bool is_signed) {
  const std::int64_t value = whole(number);
  const bool fits = !is_signed ? value >= 0 && (bits == 64 || value >> bits == 0)
                               : bits == 64 || (-(std::int64_t{1} << (bits - 1)) <= value &&
                                                value < std::int64_t{1} << (bits - 1));
  if (!fits) fail(std::to_string(value) + " does not fit its type");
  return number;
}
inline std::uint64_t integer_bits(const Number& number, int bits, bool is_signed) {
  const auto raw = static_cast<std::uint64_t>(fitting(number, bits, is_signed).i);
  return bits == 64 ? raw : raw & ((std::uint64_t{1} << bits) - 1);
}
inline std::uint64_t exact_bits(const Number& number, const Format& format) {
  const auto wide = static_cast<double>(whole(number));
  const bool exact = wide < 0x1p63 && static_cast<std::int64_t>(wide) == number.i;
  const Number there(wide);
  if (!exact || rounded(there, format).d != wide) {
    fail(std::to_string(number.i) + " is not exact in its type");
  }
  return real_bits(there, format);
}

// ---- tensors ----

struct Place {
  at::Tensor tensor;
  std::int64_t offset = 0;  // in elements
};

inline Place place_of(const at::Tensor& tensor, const Number& offset) {
  if (whole(offset) < 0 || offset.i > tensor.numel()) fail("an offset outside its tensor");
  return {tensor, offset.i};
}
inline Place place_of(const at::Tensor& tensor) { return {tensor, 0}; }

inline Place pick(const Number& which, std::initializer_list<std::function<Place()>> list) {
  if (whole(which) < 0 || which.i >= static_cast<std::int64_t>(list.size())) {
    fail("pick is out of range");
  }
  return list.begin()[which.i]();
}

struct Argument {
  alignas(8) unsigned char bytes[8] = {};
};

// `alignment` in bytes, of a vector type; 1: of no importance.
inline Argument pointer(const Place& place, std::int64_t alignment) {
  const std::int64_t offset = place.offset * static_cast<std::int64_t>(place.tensor.itemsize());
  if (offset % alignment != 0) fail("an offset that is not aligned to the parameter's type");
  char* address = static_cast<char*>(place.tensor.data_ptr()) + offset;
  Argument out;
  std::memcpy(out.bytes, &address, sizeof address);
  return out;
}
inline Argument scalar(std::uint64_t bits) {
  Argument out;
  std::memcpy(out.bytes, &bits, sizeof bits);
  return out;
}

inline at::Tensor input(const at::Tensor& tensor, const char* name, at::ScalarType type,
                        std::int64_t rank, const at::Device& device) {
  TORCH_CHECK(tensor.scalar_type() == type, name, ": expected ", type, ", got ",
              tensor.scalar_type());
  TORCH_CHECK(tensor.dim() == rank, name, ": expected ", rank, " dimensions, got ", tensor.dim());
  TORCH_CHECK(tensor.device() == device, name, ": expected on ", device, ", got ", tensor.device());
  const at::Tensor whole_one = tensor.contiguous();
  const bool aligned = reinterpret_cast<std::uintptr_t>(whole_one.data_ptr()) % 16 == 0;
  return aligned ? whole_one : whole_one.clone();
}

inline at::Tensor made(std::initializer_list<Number> shape, at::ScalarType type,
                       const at::Device& device) {
  std::vector<std::int64_t> sizes;
  for (const Number& extent : shape) {
    if (whole(extent) < 0) fail("a negative extent");
    sizes.push_back(extent.i);
  }
  return at::empty(sizes, at::TensorOptions().dtype(type).device(device));
}

// The elements as signed integers of their size: bits, whatever their type.
inline at::Tensor flat(const at::Tensor& tensor) {
  const at::ScalarType as_integer = tensor.itemsize() == 1   ? at::kChar
                                    : tensor.itemsize() == 2 ? at::kShort
                                    : tensor.itemsize() == 4 ? at::kInt
                                                             : at::kLong;
  return tensor.view(-1).view(as_integer);
}

inline void fill(const Place& to, std::uint64_t bits) {
  const int unused = 64 - 8 * static_cast<int>(to.tensor.itemsize());
  const std::int64_t value = static_cast<std::int64_t>(bits << unused) >> unused;
  flat(to.tensor).narrow(0, to.offset, to.tensor.numel() - to.offset).fill_(value);
}

inline void copy(const Place& from, const Place& to, const Number& count) {
  const std::int64_t n = whole(count);
  if (n < 0 || n > from.tensor.numel() - from.offset || n > to.tensor.numel() - to.offset) {
    fail("the copy goes beyond a tensor");
  }
  if (from.tensor.is_same(to.tensor) &&
      std::max(from.offset, to.offset) < std::min(from.offset, to.offset) + n) {
    fail("the ranges of the copy overlap");
  }
  flat(to.tensor).narrow(0, to.offset, n).copy_(flat(from.tensor).narrow(0, from.offset, n));
}
inline void copy(const Place& from, const Place& to) {
  if (from.tensor.numel() != to.tensor.numel()) fail("the copy's tensors differ in size");
  copy(from, to, numel_of(from.tensor));
}

// ---- launches ----

inline hipStream_t stream_of(const at::Device& device) {
  if (device.is_cpu()) return nullptr;
  const c10::impl::VirtualGuardImpl guard(device.type());
  return static_cast<hipStream_t>(guard.getStream(device).native_handle());
}

inline Number attribute(hipDeviceAttribute_t which, const at::Device& device) {
  int value = 0;
  TORCH_CHECK(hipDeviceGetAttribute(&value, which, std::max<int>(0, device.index())) == hipSuccess,
              "the device does not tell one of its attributes");
  return Number(std::int64_t{value});
}

inline void launch(const void* kernel, std::initializer_list<Number> grid,
                   std::initializer_list<Number> block, const Number& shared,
                   std::vector<Argument> arguments, hipStream_t stream) {
  constexpr std::int64_t kMostBlocks[3] = {0x7fffffff, 65535, 65535};
  std::int64_t blocks[3] = {1, 1, 1};
  std::int64_t threads[3] = {1, 1, 1};
  std::int64_t product = 1;
  bool empty = false;
  for (std::size_t k = 0; k < block.size(); ++k) {
    threads[k] = whole(block.begin()[k]);
    if (threads[k] < 1 || threads[k] > 1024 || (product *= threads[k]) > 1024) {
      fail("a block has 1 to 1024 threads");
    }
  }
  for (std::size_t k = 0; k < grid.size(); ++k) {
    blocks[k] = whole(grid.begin()[k]);
    if (blocks[k] < 0 || blocks[k] > kMostBlocks[k]) fail("the grid is out of range");
    if (blocks[k] * threads[k] > 0xffffffff) fail("2^32 threads or more in one dimension");
    empty = empty || blocks[k] == 0;
  }
  if (whole(shared) < 0) fail("a negative size of shared memory");
  if (empty) return;
  std::vector<void*> places;
  for (Argument& one : arguments) places.push_back(one.bytes);
  const auto narrow = [](const std::int64_t* three) {
    return dim3(static_cast<unsigned>(three[0]), static_cast<unsigned>(three[1]),
                static_cast<unsigned>(three[2]));
  };
  TORCH_CHECK(hipLaunchKernel(kernel, narrow(blocks), narrow(threads), places.data(),
                              static_cast<std::size_t>(shared.i), stream) == hipSuccess,
              current_place, ": the launch failed");
}

}  // namespace kvgen_launch
