/** So many places are added or taken at a time. */
export const mostPlaces = 100;

/** What was typed as a number; 0, which asks for nothing, where it is none. */
export const readPlaces = (text: string): number => (/^[+-]?\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : 0);

/** One place more or fewer, past 0; null where that is not to be had: a pool has no fewer than no places. `present` is null where it is not known. */
export function stepped(delta: number, by: 1 | -1, present: number | null): number | null {
  const next = delta + by === 0 ? by : delta + by;
  const least = present === null ? -mostPlaces : Math.max(-mostPlaces, -present);
  return next < least || next > mostPlaces ? null : next;
}
