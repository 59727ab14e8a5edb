"""Every model that is compared with onnxruntime's own answers, by name."""

import compiler_operators
import keyword_exports
import single_operators

CASES = {**single_operators.CASES, **dict(keyword_exports.cases()),
         **{f"compilers_{name}": make for name, make in compiler_operators.CASES.items()}}
