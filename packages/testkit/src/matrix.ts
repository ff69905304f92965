/** Whether every combination was asked for: `npm test -- --everything`. */
export const isEverything = process.env.SVC_TEST_EVERYTHING === "1";

/**
 * The cases that one of several variants takes, so that each case is tried with one variant and each variant with its share of the cases. In
 * a run of everything each variant takes all.
 */
export function shareOf<Case, Variant>(cases: readonly Case[], variants: readonly Variant[], variant: Variant): Case[] {
  const turn = variants.indexOf(variant);
  return cases.filter((_, index) => isEverything || index % variants.length === turn);
}
