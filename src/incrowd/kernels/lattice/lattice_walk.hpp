// A walk over the lattice, for a good node early where the whole lattice cannot be searched.
//
// It goes down while one column less generalised gives less loss; then it raises one column and
// lowers another; and where neither helps, it goes back to the best node, raises a few columns
// there and goes down again.  What the count of a raised node says of everything below it spares
// most of the counts.  Columns are tried in an order drawn from a fixed seed: the same walk every
// time.
#pragma once

#include "core/random.hpp"
#include "lattice/searched_nodes.hpp"

namespace incrowd {
class LatticeWalk {
  public:
    explicit LatticeWalk(SearchedNodes& nodes) : nodes_(nodes) {}

    // From the best node to one that no step improves: the first time from where it is, later from
    // a few columns above it.
    void round();

  private:
    void go_down();
    bool exchange();
    bool lower_after_raising(const Levels& raised, size_t except);
    bool improves(const Levels& levels);
    void kick();
    std::vector<size_t> shuffled_columns();

    SearchedNodes& nodes_;
    Random random_{1};
    Levels at_;
    double value_ = kInfinity;
    bool started_ = false;
    size_t idle_ = 0;  // rounds
};
}  // namespace incrowd
