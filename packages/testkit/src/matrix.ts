/** Whether the run covers all combinations: `npm test -- --everything`. */
export const isEverything = process.env.SVC_TEST_EVERYTHING === "1";

/**
 * The cases for one of several variants: each case runs with one variant, and each variant gets its share. With `--everything`, each
 * variant gets all cases.
 */
export function shareOf<Case, Variant>(cases: readonly Case[], variants: readonly Variant[], variant: Variant): Case[] {
  const turn = variants.indexOf(variant);
  return cases.filter((_, index) => isEverything || index % variants.length === turn);
}
