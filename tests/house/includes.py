# Finds names of the standard library whose header a file does not include itself.
# SPDX-License-Identifier: Apache-2.0
#
# In the preset ci one #include shows all of the library, so no compiler would miss another.
import pathlib
import re

# The headers that give each name, any of which will do. Names that are not here are not looked for.
_names = {
    "algorithm": "all_of any_of none_of count_if copy_n copy_if fill_n transform sort stable_sort "
                 "max_element min_element lower_bound upper_bound binary_search clamp rotate reverse",
    "array": "array to_array",
    "atomic": "atomic atomic_ref atomic_flag memory_order_relaxed memory_order_acquire memory_order_release",
    "bit": "bit_cast bit_ceil bit_width popcount countr_zero has_single_bit",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "sqrt pow floor ceil exp isnan isinf isfinite ldexp nextafter",
    "concepts": "same_as convertible_to derived_from integral floating_point invocable",
    "condition_variable": "condition_variable",
    "cstdint": "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t intptr_t",
    "cstdio": "printf fprintf snprintf fopen fclose fputs puts fflush fwrite fread FILE",
    "cstdlib": "getenv abort exit atoi strtol malloc free",
    "cstring": "memcpy memcmp memset memmove strlen strcmp strchr strstr strerror",
    "deque": "deque",
    "exception": "exception exception_ptr current_exception rethrow_exception uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function hash reference_wrapper ref cref invoke bind_front",
    "iostream": "cout cerr cin",
    "iterator": "back_inserter istreambuf_iterator istream_iterator",
    "latch": "latch",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this",
    "mutex": "mutex lock_guard unique_lock scoped_lock call_once once_flag",
    "numbers": "numbers",
    "numeric": "iota accumulate gcd lcm inner_product reduce",
    "optional": "optional nullopt make_optional",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution random_device",
    "regex": "regex smatch regex_match regex_search",
    "set": "set multiset",
    "span": "span as_bytes as_writable_bytes",
    "sstream": "ostringstream istringstream stringstream",
    "stdexcept": "runtime_error logic_error invalid_argument out_of_range length_error",
    "string": "string to_string getline stoi stol stoul stoull",
    "string_view": "string_view",
    "system_error": "error_code system_error errc generic_category",
    "thread": "thread jthread this_thread",
    "tuple": "tuple tie make_tuple forward_as_tuple",
    "type_traits": "is_same_v decay_t remove_cvref_t is_trivially_copyable_v conditional_t is_integral_v "
                   "type_identity_t is_base_of_v is_convertible_v underlying_type_t is_void_v is_const_v",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set unordered_multiset",
    "utility": "exchange pair make_pair as_const index_sequence make_index_sequence index_sequence_for",
    "variant": "variant visit get_if holds_alternative monostate",
    "vector": "vector",
}
_header_of = {name: header for header, names in _names.items() for name in names.split()}

# What else brings a name, by the standard or because nothing can be done with the header without it.
_also = {"algorithm": {"ranges"}, "cstdint": {"stdint.h"}, "cstdio": {"stdio.h"}, "cstring": {"string.h"},
         "string_view": {"string"}, "system_error": {"filesystem"}, "iterator": {"string", "vector"},
         "utility": {"map", "tuple", "unordered_map"}, "chrono": {"thread", "filesystem"},
         "exception": {"stdexcept"}, "concepts": {"iterator", "ranges"}, "cmath": {"math.h"}}


# Where a header of the project is looked for, beside the folder of whoever includes it.
_folders = ["", "sim", "kernels", "tests/kernels"]


def standard_headers(path, texts):
    """The headers of the library that a file includes, itself or by headers of the project."""
    headers, unread, known = set(), [path], set()
    while unread:
        path = unread.pop()
        known.add(path)
        headers |= set(re.findall(r"^\s*#\s*include\s*<([^>]+)>", texts[path], re.M))
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', texts[path], re.M):
            places = [folder / name for folder in (path.parent, *map(pathlib.Path, _folders))]
            unread += [place for place in places if place in texts and place not in known][:1]
    return headers


def missing_includes(path, texts):
    """(line, name, header) of the first use of each name that none of the file's headers gives."""
    included, seen, code = standard_headers(path, texts), set(), texts[path]
    for match in re.finditer(r"\bstd::(\w+)", code):
        header = _header_of.get(match[1])
        if not header or match[1] in seen:
            continue
        seen.add(match[1])
        if header not in included and not _also.get(header, set()) & included:
            yield code.count("\n", 0, match.start()) + 1, match[1], header
