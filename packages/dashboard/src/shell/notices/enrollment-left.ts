import { plural } from "@svc/client";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The time left until a deadline: whole days, and hours on the last day. */
export function timeLeft(ms: number): string {
  if (ms < hourMs) return "Less than an hour left.";
  const [amount, unit] = ms < dayMs ? [Math.floor(ms / hourMs), "hour"] : [Math.floor(ms / dayMs), "day"];
  return `${plural(amount, unit)} left.`;
}
