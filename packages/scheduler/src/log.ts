import pino from "pino";

/** Structured log lines: the name of an event and its facts. */
export interface SchedulerLog {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void;
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** JSON lines on standard output, or given to `write`. */
export function createSchedulerLog(
  level: "debug" | "info" | "warn" | "error",
  write: (line: string) => void = (line) => void process.stdout.write(line),
): SchedulerLog {
  const sink = pino(
    {
      level,
      base: null,
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "event",
    },
    { write },
  );
  const at =
    (name: "debug" | "info" | "warn" | "error") =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) =>
      sink[name](fields, event);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What is written of an error: its message only, because an error of a driver may hold values. */
export const reasonOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
