/** The place of an event in what one scheduler reports. The greater position wins, in whatever order events arrive. */
export interface Position {
  /** When the adapter started, in milliseconds since the Unix epoch; 0 for adapters that do not number their events. */
  readonly epoch: number;
  /** Counts the adapter's events; without numbers, when the event occurred, in milliseconds. */
  readonly sequence: number;
  /** Lower-case UUID. */
  readonly eventId: string;
}

/** Negative when `a` comes before `b`. */
export const comparePositions = (a: Position, b: Position): number =>
  a.epoch - b.epoch || a.sequence - b.sequence || (a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0);

/** Whether a position comes after another one; null comes before all. */
export const isAfter = (position: Position, other: Position | null | undefined): boolean =>
  other === null || other === undefined || comparePositions(position, other) > 0;
