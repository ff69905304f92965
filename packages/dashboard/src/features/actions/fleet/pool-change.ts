/** The maximum change in pool size of one command. */
export const maximumChange = 100;

/** Parses a change in pool size; 0 if it is not a number. */
export const readChange = (text: string): number => (/^[+-]?\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : 0);

/** The next change in the direction of `by`, skipping 0; null beyond the limits. `current` is null if the pool size is unknown. */
export function stepped(delta: number, by: 1 | -1, current: number | null): number | null {
  const next = delta + by === 0 ? by : delta + by;
  const least = current === null ? -maximumChange : Math.max(-maximumChange, -current);
  return next < least || next > maximumChange ? null : next;
}
