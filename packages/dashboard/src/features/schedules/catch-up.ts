import { minuteText } from "../../ui/time/instants.ts";

export type CatchUp = "skip" | "fire_one_missed" | "fire_all_missed";

export const catchUpLabels: Readonly<Record<CatchUp, string>> = {
  fire_one_missed: "Run the newest missed fire",
  skip: "Skip missed fires",
  fire_all_missed: "Run every missed fire",
};

/** What happens to fires that were missed while no scheduler ran, in general. */
export const catchUpRules: Readonly<Record<CatchUp, string>> = {
  fire_one_missed: "After downtime, the newest missed fire runs once and older ones are skipped.",
  skip: "After downtime, missed fires are skipped.",
  fire_all_missed: "After downtime, every missed fire runs, oldest first, at most 10,000.",
};

const hourMs = 3_600_000;

/** The same as an example with the next two runs; null with fewer. `runs` are in milliseconds since 1970, in order. */
export function catchUpExample(policy: CatchUp, runs: readonly number[], zone: string): string | null {
  const [first, second] = runs;
  if (first === undefined || second === undefined) return null;
  const marginMs = Math.min(hourMs, (second - first) / 2);
  const [from, until] = [first - marginMs, second + marginMs];
  const days = new Set([from, until].map((at) => minuteText(at, zone).slice(0, 10)));
  const text = (at: number) => (days.size === 1 ? minuteText(at, zone).slice(11) : minuteText(at, zone));
  const outcome = {
    fire_one_missed: `the ${text(second)} fire runs once at ${text(until)} and the ${text(first)} fire is skipped`,
    skip: `the fires of ${text(first)} and ${text(second)} are skipped`,
    fire_all_missed: `the fires of ${text(first)} and ${text(second)} both run at ${text(until)}`,
  }[policy];
  return `If the scheduler is down from ${text(from)} to ${text(until)}, ${outcome}.`;
}
