const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What is left until a deadline: whole days, hours on the last one. */
export function timeLeft(ms: number): string {
  if (ms < hourMs) return "Less than an hour left.";
  const [amount, unit] = ms < dayMs ? [Math.floor(ms / hourMs), "hour"] : [Math.floor(ms / dayMs), "day"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"} left.`;
}
