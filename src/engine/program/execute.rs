//! Execution: one pass over the planes, with one loop for each batch of look-up tables.
//!
//! The loops are compiled once for each kind of processor (512-bit words with three-input logic, 256-bit words, or the
//! least that the target guarantees), and the program looks at the processor when it runs.

use std::cell::Cell;

use multiversion::multiversion;

use super::schedule::LutBatch;

/// Computes all batches on 64 x `W` cases.
///
/// # Panics
/// If there are fewer planes than the batches read and write.
pub(super) fn execute<const W: usize>(batches: &[LutBatch], operands: &[[u32; 3]], planes: &mut [[u64; W]]) {
    if const { W == 1 } {
        // Planes of one word gain nothing by wider words.
        all_batches(batches, operands, planes);
    } else {
        in_wide_words(batches, operands, planes);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
fn in_wide_words<const W: usize>(batches: &[LutBatch], operands: &[[u32; 3]], planes: &mut [[u64; W]]) {
    all_batches(batches, operands, planes);
}

#[inline(always)]
fn all_batches<const W: usize>(batches: &[LutBatch], operands: &[[u32; 3]], planes: &mut [[u64; W]]) {
    let planes = Cell::from_mut(planes).as_slice_of_cells();
    let mut operands = operands;
    for batch in batches {
        let (own, rest) = operands.split_at(batch.length);
        operands = rest;
        one_batch(batch.function, own, planes, &planes[batch.target..batch.target + batch.length]);
    }
}

/// The function of two inputs whose truth table is `PAIR`, from bit 0 (both 0) to bit 3 (both 1).
#[inline(always)]
fn pair<const PAIR: u8>(a: u64, b: u64) -> u64 {
    match PAIR {
        0x0 => 0,
        0x1 => !(a | b),
        0x2 => a & !b,
        0x3 => !b,
        0x4 => !a & b,
        0x5 => !a,
        0x6 => a ^ b,
        0x7 => !(a & b),
        0x8 => a & b,
        0x9 => !(a ^ b),
        0xa => a,
        0xb => a | !b,
        0xc => b,
        0xd => !a | b,
        0xe => a | b,
        _ => !0,
    }
}

/// One batch: every place of `write` becomes the function of the places of `read` that its operands name.
///
/// The macro writes each loop out by hand, without closures and adapters, because every line of it is compiled for 80
/// functions, each width and each kind of processor.
#[inline(always)]
fn one_batch<const W: usize>(
    function: u8,
    operands: &[[u32; 3]],
    read: &[Cell<[u64; W]>],
    write: &[Cell<[u64; W]>],
) {
    macro_rules! functions {
        ($($function:literal)*) => {
            match function {
                $($function => {
                    for (out, &[a, b, c]) in write.iter().zip(operands) {
                        let a = read[a as usize].get();
                        let b = read[b as usize].get();
                        let c = read[c as usize].get();
                        let mut value = [0; W];
                        for word in 0..W {
                            let low = pair::<{ $function & 0xf }>(a[word], b[word]);
                            let high = pair::<{ $function >> 4 }>(a[word], b[word]);
                            value[word] = if $function & 0xf == !$function >> 4 & 0xf {
                                low ^ c[word]
                            } else {
                                low & !c[word] | high & c[word]
                            };
                        }
                        out.set(value);
                    }
                })*
                _ => unreachable!("the least forms of all functions are listed"),
            }
        };
    }
    // The least of each function's forms under exchange of its inputs.
    functions!(
        0x00 0x01 0x02 0x03 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0e 0x0f 0x16 0x17 0x18 0x19 0x1a 0x1b 0x1e 0x1f
        0x28 0x29 0x2a 0x2b 0x2c 0x2d 0x2e 0x2f 0x3c 0x3d 0x3e 0x3f 0x68 0x69 0x6a 0x6b 0x6e 0x6f 0x7e 0x7f
        0x80 0x81 0x82 0x83 0x86 0x87 0x88 0x89 0x8a 0x8b 0x8e 0x8f 0x96 0x97 0x98 0x99 0x9a 0x9b 0x9e 0x9f
        0xa8 0xa9 0xaa 0xab 0xac 0xad 0xae 0xaf 0xbc 0xbd 0xbe 0xbf 0xe8 0xe9 0xea 0xeb 0xee 0xef 0xfe 0xff
    );
}
