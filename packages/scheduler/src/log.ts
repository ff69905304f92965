type Fields = Readonly<Record<string, unknown>>;

/** Structured log lines: the name of an event and its facts. */
export interface SchedulerLog {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/** What is written of an error: its message only, because an error of a driver may hold values. */
export const reasonOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
