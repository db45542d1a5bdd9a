"""Rules of the numerics page whose worked examples are tests of an instruction or of a level.

The other rules have theirs in the `test_numerics_*` files beside this one. Every test that is named
here exists.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

ELSEWHERE = {
    # 1, 2: dtypes and casting
    "every pattern of the narrow floats has the value of its format": (
        "base/test_numerics.py::test_widening_is_the_value_of_every_pattern"
    ),
    "tfloat32 keeps 11 bits after the point": (
        "base/test_numerics.py::test_tfloat32_keeps_eleven_mantissa_bits"
    ),
    "without saturation float8_e4m3fn overflows to NaN, and float8_e5m2 to infinity": (
        "base/test_numerics.py::test_float8_without_saturation"
    ),
    "the smallest float32 in a range becomes -inf in narrow floats": (
        "isa/test_range_select.py::test_the_fill_value_is_the_smallest_float32"
    ),
    "rounding to narrow floats can be switched off": (
        "api/test_calling.py::test_without_rounding_narrow_floats_are_float32"
    ),
    # 3: engines
    "DMA does not convert packed dtypes": ("isa/test_dma.py::test_packed_dtypes_are_not_converted"),
    "power of integers with a negative exponent": (
        "isa/test_alu.py::test_integer_power_with_negative_exponents"
    ),
    "partitions are folded with five operators": (
        "isa/test_partition_reduce.py::test_a_worked_example"
    ),
    "running values of tensor_scalar_cumulative": (
        "isa/test_cumulative.py::test_a_running_value_is_loaded_and_may_differ_by_partition"
    ),
    # 4: PSUM
    "flags of a group are 3 alone, 1 first, 0 between and 2 last": (
        "backend/test_accumulate.py::test_flags_of_groups"
    ),
    "accumulate False overwrites, True adds, None adds where something was written": (
        "routes/test_matmul.py::test_accumulate_says_what_is_added"
    ),
    "products that overlap in PSUM add where they do": (
        "routes/test_matmul.py::test_products_that_overlap_in_psum_add_where_they_do"
    ),
    "accumulation onto what no product wrote is told": (
        "sim/test_warnings.py::test_accumulation_onto_what_no_product_wrote"
    ),
    "a product stays in one bank": "backend/test_alloc.py::test_a_matmul_writes_one_bank",
    "gen4 fills all of PSUM with one product": (
        "routes/test_matmul.py::test_gen4_fills_psum_with_one_product"
    ),
    "operands of products have any number of dimensions": (
        "routes/test_matmul.py::test_free_dimensions_are_walked_in_order"
    ),
    "double_row takes (128, 2, N)": (
        "routes/test_matmul.py::test_double_row_contracts_the_first_free_dimension"
    ),
    "tiles of the array change no values": (
        "routes/test_matmul.py::test_row_and_column_tiles_change_no_values"
    ),
    # 5: MX
    "32 values share a scale, 8 partitions by 4": (
        "isa/test_mx.py::test_groups_are_eight_partitions_by_four_elements"
    ),
    "scales lie in the first partitions of their quadrant": (
        "isa/test_mx.py::test_scales_of_four_quadrants_go_to_the_first_four_partitions_of_each"
    ),
    "scales of four tiles share one": "isa/test_mx.py::test_scales_of_four_tiles_fit_one",
    "a scale is twice that of the OCP sample": (
        "isa/test_mx.py::test_the_scale_is_twice_that_of_the_sample_algorithm"
    ),
    "a group of zeros has the scale 2**-127": (
        "isa/test_mx.py::test_a_group_of_zeros_has_the_smallest_scale_and_keeps_signs"
    ),
    "values are multiplied with 2**(scale - 127) and summed in float32": (
        "isa/test_mx.py::test_a_worked_product"
    ),
    "quantized values are rounded to even": "isa/test_mx.py::test_a_worked_group",
    "scales may be a part of a tile": "routes/test_mx.py::test_scales_of_two_operands_share_a_tile",
    # 6: activation
    "functions are valid in the published ranges": (
        "reference/test_operators.py::test_functions_are_valid_in_the_published_ranges"
    ),
    "inputs outside are told and not clamped": (
        "sim/test_warnings.py::test_inputs_outside_the_range_of_a_function"
    ),
    "sine goes on as a cubic, sin(9) = 27.65": "isa/test_act.py::test_sine_goes_on_as_a_cubic",
    "prelu has the slope alpha": "isa/test_act.py::test_prelu_takes_its_slope",
    "accumulators of activation: idle, reset, reduce, reset_reduce": (
        "isa/test_activation.py::test_commands_of_the_accumulators"
    ),
    "accumulators of gen4 add, and keep maxima, minima and magnitudes": (
        "isa/test_activate2.py::test_results_are_reduced"
    ),
    "registers are shared, and what is in them after idle is not relied on": (
        "sim/test_warnings.py::test_an_idle_instruction_of_the_vector_engine_may_change_a_sum"
    ),
    # 7: statistics
    "bn_stats has six numbers, of even and of odd elements": (
        "isa/test_stats.py::test_even_and_odd_elements_are_counted_apart"
    ),
    "the recurrence of mean and M2 is Welford's": (
        "isa/test_stats.py::test_the_variance_survives_a_large_mean"
    ),
    "bn_aggr merges triples to mean and population variance": (
        "isa/test_stats.py::test_triples_are_merged_to_mean_and_variance"
    ),
    # 8: searches
    "the eight largest descend, the earlier of equal ones first": (
        "isa/test_search.py::test_the_earlier_of_two_zeros_is_first"
    ),
    "NaN among the largest": ("isa/test_search.py::test_a_nan_keeps_its_place_and_its_partition"),
    "equal values are found one after the other": (
        "isa/test_search.py::test_equal_values_find_successive_occurrences"
    ),
    "what is not found has all ones": (
        "isa/test_search.py::test_absent_positions_are_all_ones_in_uint16"
    ),
    "the first of equal values replaced belongs to the highest slot": (
        "isa/test_search.py::test_the_first_of_equal_values_belongs_to_the_highest_slot"
    ),
    "nonzero_with_count: positions, padding, and the number last": (
        "isa/test_sparse.py::test_the_published_example"
    ),
    "topk: the largest with their indices": (
        "isa/test_sparse.py::test_the_largest_come_last_with_their_indices"
    ),
    # 9: selection
    "indices of a range are compared in float32 with both bounds": (
        "isa/test_range_select.py::test_elements_within_the_bounds_are_kept"
    ),
    "a range starts where it is told, below 2**24": (
        "isa/test_range_select.py::test_indices_are_exact_up_to_the_last_one"
    ),
    "an affine expression is compared in six ways": (
        "isa/test_predicate.py::test_all_six_comparisons"
    ),
    "255 in a shuffle leaves a partition alone": (
        "isa/test_shuffle.py::test_255_leaves_a_partition_alone"
    ),
    "a shuffle moves bits": "isa/test_shuffle.py::test_bits_are_moved",
    "indices of a local gather run along 16 partitions": (
        "isa/test_gather.py::test_indices_run_along_the_partitions_and_every_partition_takes_them_all"
    ),
    "a local gather reads from and into views": (
        "isa/test_gather.py::test_views_are_gathered_from_and_into"
    ),
    "an index beyond the source stops the run": (
        "isa/test_gather.py::test_an_index_beyond_the_source_stops_the_run"
    ),
    # 10: random numbers
    "the shift register has the taps 32, 22, 2 and 1": (
        "isa/test_generator.py::test_the_register_takes_in_the_parity_of_its_taps"
    ),
    "XORWOW by hand": "isa/test_generator.py::test_two_steps_of_xorwow_by_hand",
    "a state of zeros counts as one": (
        "isa/test_generator.py::test_five_words_of_zero_count_as_a_one_at_the_end"
    ),
    "narrow integers keep the lowest bits": "isa/test_rng.py::test_rng_keeps_the_lowest_bits",
    "uniform numbers have 23 bits": "isa/test_generator.py::test_23_bits_become_a_fraction",
    "dropout: 1 drops all, 0 none, and nothing is scaled": (
        "isa/test_rng.py::test_probabilities_at_and_beyond_the_ends"
    ),
    "numbers differ from call to call": (
        "routes/test_random.py::test_every_trip_of_a_loop_draws_new_numbers"
    ),
    "a seed decides what follows": (
        "routes/test_random.py::test_the_vector_engine_draws_what_follows_from_its_seed"
    ),
    "a state that is set replays": (
        "routes/test_random.py::test_a_state_is_read_as_it_was_set_and_replays"
    ),
    # 11: memory that nothing wrote
    "poison is NaN, 4, or all ones if packed": (
        "base/test_numerics.py::test_poison_is_nan_or_four"
    ),
    # what simulators got wrong before (diagnostics, section 4F) and is not above
    "float32 becomes the nearest integer, and saturates": (
        "reference/test_numerics_formats.py::test_floats_become_the_nearest_integer_and_ties_the_even_one"
    ),
    "narrow floats are rounded by default": (
        "reference/test_numerics_formats.py::test_floats_are_rounded_to_nearest_and_ties_to_even"
    ),
    "the sum of activation may be a part of its result": (
        "reference/test_numerics_functions.py::test_a_sum_may_take_the_place_of_the_first_result"
    ),
    "predicated copies and selections of other ranks": (
        "reference/test_numerics_selection.py::test_a_selection_counts_elements_and_not_dimensions"
    ),
    "on_false is any number of Python": (
        "reference/test_numerics_selection.py::"
        "test_what_is_not_selected_is_a_float32_and_rounded_to_the_result"
    ),
    "logical operators take any number as true": (
        "reference/test_numerics_engines.py::test_operators_give_what_their_definition_says"
    ),
    "quantize_mx to float8_e4m3fn": "isa/test_mx.py::test_the_ends_of_bfloat16",
    "packed operands on trn3": "routes/test_mx.py::test_quantized_operands_are_viewed_as_packed",
    "dropout drops": (
        "routes/test_random.py::test_elements_are_dropped_by_the_numbers_of_the_engine"
    ),
}


def functions(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("rule", ELSEWHERE)
def test_the_example_of_a_rule_is_where_the_table_says(rule):
    path, _, name = ELSEWHERE[rule].partition("::")
    assert name in functions(path)
