import type { Expression } from "./find.ts";
import { growthOf, mostGrowth } from "./growth.ts";
import { genericPumps, textOf, type WorstCase, worstCasesOf } from "./worst-cases.ts";

export interface ExpressionGrowth {
  /** The cost ratio for four times the length: about 4, or 1 when it is too small to measure. */
  readonly growth: number;
  /** The text whose growth exceeded the limit; further texts are not tried. */
  readonly worst: WorstCase | null;
}

/** Applies an expression to its worst cases. A global one is used in a replacement, so that the search continues after each match. */
export function growthOfExpression(expression: Expression): ExpressionGrowth {
  const form = new RegExp(expression.source, expression.flags);
  const run = form.global
    ? (text: string) => text.replace(form, "")
    : (text: string) => {
        form.lastIndex = 0;
        return form.test(text);
      };
  let most = 1;
  for (const worst of worstCasesOf(expression)) {
    const growth = growthOf(run, (length) => textOf(worst, length));
    if (growth >= mostGrowth) return { growth, worst };
    most = Math.max(most, growth);
  }
  return { growth: most, worst: null };
}

/** The same for a function that reads text, with common worst cases and its own `pumps`. */
export function growthOfReader(read: (text: string) => unknown, pumps: readonly string[] = []): ExpressionGrowth {
  let most = 1;
  for (const pump of [...genericPumps, ...pumps]) {
    for (const suffix of ["", "a\u2028a"]) {
      const worst = { prefix: "", pump, suffix };
      const growth = growthOf(read, (length) => textOf(worst, length));
      if (growth >= mostGrowth) return { growth, worst };
      most = Math.max(most, growth);
    }
  }
  return { growth: most, worst: null };
}
