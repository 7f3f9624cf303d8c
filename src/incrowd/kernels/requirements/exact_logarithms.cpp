#include "requirements/exact_logarithms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

namespace incrowd {
namespace {
using Twice = unsigned __int128;   // of 64 bits
constexpr size_t kWholeLimbs = 3;  // 192 bits before the point: a sum of 2^62 logarithms fits
constexpr size_t kFirstLimbs = 2;

// A number of 0 or more, in fixed point: limbs of 64 bits, the least first.
class Fixed {
  public:
    explicit Fixed(size_t limbs, uint64_t whole = 0) : limbs_(limbs + kWholeLimbs, 0) {
        limbs_[limbs] = whole;
    }
    void multiply(uint64_t by) {
        uint64_t carry = 0;
        for (uint64_t& limb : limbs_) {
            const Twice product = static_cast<Twice>(limb) * by + carry;
            limb = static_cast<uint64_t>(product);
            carry = static_cast<uint64_t>(product >> 64);
        }
    }
    void divide(uint64_t by) {  // rounds down
        uint64_t rest = 0;
        for (size_t i = limbs_.size(); i-- > 0;) {
            const Twice dividend = (static_cast<Twice>(rest) << 64) | limbs_[i];
            limbs_[i] = static_cast<uint64_t>(dividend / by);
            rest = static_cast<uint64_t>(dividend % by);
        }
    }
    void add(const Fixed& other) {
        uint64_t carry = 0;
        for (size_t i = 0; i < limbs_.size(); ++i) {
            const Twice sum = static_cast<Twice>(limbs_[i]) + other.limbs_[i] + carry;
            limbs_[i] = static_cast<uint64_t>(sum);
            carry = static_cast<uint64_t>(sum >> 64);
        }
    }
    void subtract(const Fixed& smaller) {
        uint64_t borrow = 0;
        for (size_t i = 0; i < limbs_.size(); ++i) {
            const Twice taken = static_cast<Twice>(smaller.limbs_[i]) + borrow;
            borrow = limbs_[i] < taken;
            limbs_[i] = static_cast<uint64_t>(limbs_[i] - taken);
        }
    }
    void add_last(Twice units) {  // of the last place
        for (size_t i = 0; units != 0 && i < limbs_.size(); ++i) {
            const Twice sum = static_cast<Twice>(limbs_[i]) + static_cast<uint64_t>(units);
            limbs_[i] = static_cast<uint64_t>(sum);
            units = (units >> 64) + (sum >> 64);
        }
    }
    bool is_zero() const {
        return std::ranges::all_of(limbs_, [](uint64_t limb) { return limb == 0; });
    }
    bool less_than(const Fixed& other) const {
        return std::lexicographical_compare(limbs_.rbegin(), limbs_.rend(), other.limbs_.rbegin(),
                                            other.limbs_.rend());
    }

  private:
    std::vector<uint64_t> limbs_;
};

// ln(above / below) for below <= above <= 2 x below, from below: 2 x atanh of their difference over
// their sum.  Each step of the series rounds down a few times, and has few digits less to go.
Fixed logarithm_of_ratio(uint64_t above, uint64_t below, size_t limbs) {
    const uint64_t difference = above - below, sum = above + below;
    Fixed result(limbs), power(limbs, 2);
    power.multiply(difference);
    power.divide(sum);
    for (uint64_t odd = 1; !power.is_zero(); odd += 2) {
        Fixed term = power;
        term.divide(odd);
        result.add(term);
        for (int twice = 0; twice < 2; ++twice) {
            power.multiply(difference);
            power.divide(sum);
        }
    }
    return result;
}

// ln(of), at most `kUnits` units of the last place too small for each limb.
Fixed logarithm(uint64_t of, size_t limbs) {
    const auto exponent = static_cast<uint64_t>(std::bit_width(of) - 1);
    Fixed result = logarithm_of_ratio(2, 1, limbs);
    result.multiply(exponent);
    result.add(logarithm_of_ratio(of, uint64_t{1} << exponent, limbs));
    return result;
}

// The series shrinks ninefold a step, so it has at most 21 steps a limb and rounds four times in
// each; ln 2 counts up to 62 times.
Twice error_of_logarithm(size_t limbs) { return Twice{63} * 4 * (21 * (limbs + 1) + 2); }

struct Sum {
    Fixed value;
    Twice error = 0;  // in units of the last place; the true sum is at most so much larger

    void add(Ratio ratio, size_t limbs) {
        if (ratio.first == 0) return;
        Fixed part(limbs, 1);
        part.multiply(ratio.first);
        part.multiply(ratio.second);
        part.divide(ratio.third);
        part.divide(ratio.fourth);
        value.add(part);
        error += 2;
    }
    void add(uint64_t factor, uint64_t of, size_t limbs) {
        Fixed part = logarithm(of, limbs);
        part.multiply(factor);
        value.add(part);
        error += factor * error_of_logarithm(limbs);
    }
};

// 1 if `a` is certainly larger, -1 if `b` is, 0 if more digits are needed.
int compared(const Sum& a, const Sum& b) {
    const bool larger = b.value.less_than(a.value);
    const Sum &more = larger ? a : b, &less = larger ? b : a;
    Fixed reach = less.value;
    reach.add_last(less.error);
    if (!reach.less_than(more.value)) return 0;
    return larger ? 1 : -1;
}

int sign_by_digits(std::span<const LogTerm> terms, Ratio plus, Ratio minus) {
    for (size_t limbs = kFirstLimbs;; limbs *= 2) {
        Sum above{Fixed(limbs)}, below{Fixed(limbs)};
        above.add(plus, limbs);
        below.add(minus, limbs);
        for (const LogTerm& term : terms) {
            Sum& side = term.factor > 0 ? above : below;
            if (term.factor != 0)
                side.add(static_cast<uint64_t>(std::abs(term.factor)), term.of, limbs);
        }
        if (const int sign = compared(above, below)) return sign;
    }
}

// Whether every prime cancels.
bool is_one(std::span<const LogTerm> terms) {
    std::map<uint64_t, __int128> exponent;
    for (const LogTerm& term : terms) {
        uint64_t rest = term.of;
        for (uint64_t prime = 2; prime * prime <= rest; prime += prime == 2 ? 1 : 2)
            for (; rest % prime == 0; rest /= prime) exponent[prime] += term.factor;
        if (rest > 1) exponent[rest] += term.factor;
    }
    return std::ranges::all_of(exponent, [](const auto& each) { return each.second == 0; });
}

double value_of(Ratio ratio) {
    return static_cast<double>(ratio.first) * static_cast<double>(ratio.second) /
           static_cast<double>(ratio.third) / static_cast<double>(ratio.fourth);
}
}  // namespace

int sign_of_logarithms(std::span<const LogTerm> terms, Ratio plus, Ratio minus) {
    double sum = value_of(plus) - value_of(minus);
    double size = value_of(plus) + value_of(minus);
    for (const LogTerm& term : terms) {
        const double part =
            static_cast<double>(term.factor) * std::log(static_cast<double>(term.of));
        sum += part;
        size += std::abs(part);
    }
    // Each part is right to a few units of its last place, each addition to one of what was added.
    const double error = 0x1.0p-52 * static_cast<double>(terms.size() + 8) * size;
    if (sum > error) return 1;
    if (sum < -error) return -1;
    if (plus.first == 0 && minus.first == 0 && is_one(terms)) return 0;
    return sign_by_digits(terms, plus, minus);
}
}  // namespace incrowd
