import type { ProjectStats, TrendBucket } from "@svc/client";
import { duration } from "../../../ui/time/format.ts";

export interface Ends {
  /** Includes revoked and rejected tasks. */
  readonly finished: number;
  readonly succeeded: number;
  readonly failed: number;
}

export function endsOf(series: readonly Pick<TrendBucket, "success" | "failure" | "revoked" | "rejected">[]): Ends {
  return series.reduce<Ends>(
    (sum, { success, failure, revoked, rejected }) => ({
      finished: sum.finished + success + failure + revoked + rejected,
      succeeded: sum.succeeded + success,
      failed: sum.failed + failure,
    }),
    { finished: 0, succeeded: 0, failed: 0 },
  );
}

export const endsOfStats = (stats: ProjectStats): Ends => ({
  finished: stats.tasks_finished_24h,
  succeeded: stats.tasks_succeeded_24h,
  failed: stats.tasks_failed_24h,
});

/** The share of failed tasks among the succeeded and failed ones; null without any. */
export function failureShare({ succeeded, failed }: Pick<Ends, "succeeded" | "failed">): number | null {
  return succeeded + failed === 0 ? null : failed / (succeeded + failed);
}

/** A share of 0–1 as the digits of a percentage. Never 0 when something failed, nor 100 when something did not. */
export function rateDigits(share: number): string {
  if (share <= 0) return "0";
  if (share >= 1) return "100";
  if (share < 0.001) return "<0.1";
  if (share > 0.999) return ">99.9";
  const value = share * 100;
  return value < 1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : String(Math.round(value));
}

/** Pairs of digits and unit: `[["8", "min"], ["12", "s"]]`. */
export function durationParts(ms: number): [digits: string, unit: string][] {
  const words = duration(ms).split(" ");
  return Array.from({ length: words.length / 2 }, (_, at) => [words[2 * at] ?? "", words[2 * at + 1] ?? ""]);
}

/** An increase counts as worse from this share on; smaller changes are noise. */
const notableRise = 0.1;

export interface FigureChange {
  readonly text: string;
  readonly isWorse: boolean;
}

/** The change of a figure from the previous window; null without a previous value. */
export function relativeChange(now: number, before: number | null, rising: "worse" | "plain"): FigureChange | null {
  if (before === null || before <= 0) return null;
  const change = now / before - 1;
  return { text: signedPercent(change), isWorse: rising === "worse" && change >= notableRise };
}

/** The difference of two shares, in percentage points. */
export function pointChange(now: number, before: number | null): FigureChange | null {
  if (before === null) return null;
  const points = (now - before) * 100;
  const size = Math.abs(points);
  const digits = size < 1 ? size.toFixed(2) : size.toFixed(1);
  if (Number(digits) === 0) return { text: "same as before", isWorse: false };
  return { text: `${points > 0 ? "+" : "−"}${digits} points`, isWorse: points > 0 };
}

/** `+3.1 %`, `−8 %`, `0 %`; from a factor of ten on, `10×`. */
export function signedPercent(change: number): string {
  if (change >= 9) return `${Math.round(change + 1)}×`;
  const size = Math.abs(change) * 100;
  const digits = size < 10 ? size.toFixed(1) : String(Math.round(size));
  if (Number(digits) === 0) return "0 %";
  return `${change > 0 ? "+" : "−"}${digits} %`;
}
