import { type Step, steps } from "./steps.ts";

export interface TestArguments {
  readonly steps: readonly Step[];
  /** Run only the tests that a change since this commit can affect; undefined for all. */
  readonly changedSince: string | undefined;
  /** Run all combinations, including those that a cheaper one represents. */
  readonly isEverything: boolean;
}

export const usage = `usage: npm test -- [step ...] [--changed[=commit]] [--everything]
  step          ${steps.map(({ name }) => name).join(", ")}
  --changed     only the tests that a change can affect: what is not committed, or was changed since the commit;
                those that meet a changed feature only in a running service are left to a whole run
  --everything  every test on every database`;

/** @throws Error for any other argument. */
export function parseArguments(words: readonly string[]): TestArguments {
  let changedSince: string | undefined;
  let isEverything = false;
  const names: string[] = [];
  for (const word of words) {
    if (word === "--changed") changedSince = "HEAD";
    else if (word.startsWith("--changed=")) changedSince = word.slice("--changed=".length);
    else if (word === "--everything") isEverything = true;
    else if (steps.some(({ name }) => name === word)) names.push(word);
    else throw new Error(`unknown: ${word}`);
  }
  if (changedSince === "") throw new Error("--changed= requires a commit");
  return {
    steps: names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name)),
    changedSince,
    isEverything,
  };
}
