"""Checks that each file of the modules includes, by itself or by way of our headers, the headers of others that it uses: where
sources are compiled in batches, one that lacks them would borrow those of its neighbours.
usage: check_includes.py ROOT"""
import pathlib
import re
import sys

MODULES = ("sim", "gravity", "integrators", "ics", "halo", "density", "cosmology")
CODE = {".hpp", ".cuh", ".cpp", ".cu"}
USES = {header: re.compile(rf"\bstd::(?:{names})\b") for header, names in {
    "algorithm": r"sort|stable_sort|partial_sort|nth_element|find|find_if|find_if_not|any_of|all_of|none_of|count|count_if|"
                 r"transform|lower_bound|upper_bound|equal_range|binary_search|unique|rotate|reverse|clamp|minmax|"
                 r"(?:min|max|minmax)_element|partition|stable_partition|remove|remove_if|is_sorted|shuffle|set_\w+|merge|"
                 r"mismatch|adjacent_find|generate|replace|ranges::(?!begin|end|size|data)\w+",
    "array": "array|to_array",
    "cmath": "sqrt|cbrt|pow|exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|"
             "atanh|floor|ceil|round|lround|llround|trunc|fmod|hypot|isfinite|isnan|isinf|ldexp|frexp|nextafter|copysign|erf|"
             "erfc|lgamma|tgamma|fma|remainder|nearbyint|rint|signbit|modf",
    "complex": "complex|conj|polar",
    "cstdint": r"u?int(?:8|16|32|64)_t|u?intptr_t",
    "filesystem": r"filesystem::\w+",
    "functional": "function|hash|greater|less|plus|bind|ref|cref|invoke|reference_wrapper",
    "limits": "numeric_limits",
    "map": "map|multimap",
    "memory": "unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this",
    "optional": "optional|nullopt|make_optional",
    "span": "span|as_bytes|as_writable_bytes",
    "sstream": "[io]?stringstream",
    "string": "string|to_string|stod|stoi|stoul|stoull|getline",
    "unordered_map": "unordered_(?:multi)?map",
    "variant": "variant|visit|holds_alternative|get_if|monostate",
    "vector": "vector",
}.items()}
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.M)
NO_CODE = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"')


def main(root):
    texts = {str(path.relative_to(root)): path.read_text() for module in MODULES for path in (root / module).rglob("*")
             if path.suffix in CODE}
    reached = {}

    def headers_of(name):
        """Headers of others that a file includes, itself or through ours."""
        if name not in reached:
            reached[name] = set()  # of a header that includes itself
            found = set()
            for header in INCLUDE.findall(texts[name]):
                found |= headers_of(header) if header in texts else {header}
            reached[name] = found
        return reached[name]

    errors = []
    for name in sorted(texts):
        code = NO_CODE.sub("", texts[name])
        for header, uses in USES.items():
            if header not in headers_of(name) and (used := uses.search(code)):
                errors.append(f"{name}: uses {used[0]} and includes no <{header}>")
        if "fmt::" in code and not any(header.startswith("fmt/") for header in headers_of(name)):
            errors.append(f"{name}: uses fmt and includes no header of it")
    print("\n".join(errors))
    return 1 if errors or len(texts) < 500 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
