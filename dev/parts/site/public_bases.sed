# For Doxygen: bases that solvers and factors share stand in heddle::detail, and what they have is public in each of them.
/public detail::\(krylov::\)\?\(KrylovSolver\|FactorPlan\)</{
/{$/!N
s/public detail::\(krylov::\)\?\(KrylovSolver\|FactorPlan\)<.*/public \2 {/
}
