import type { AgentLog } from "../adapter.ts";
import type { Clock } from "./clock.ts";

type Level = keyof AgentLog;
type Fields = Readonly<Record<string, unknown>>;

/** Writes JSON lines to standard error, from level `info`. */
export const stderrLog: AgentLog = {
  debug: () => {},
  info: (message, fields) => writeLine("info", message, fields),
  warn: (message, fields) => writeLine("warn", message, fields),
  error: (message, fields) => writeLine("error", message, fields),
};

/** Ignores errors of the host's logger: a broken logger must not break the host application. */
export function guardLog(log: AgentLog): AgentLog {
  const guard =
    (level: Level) =>
    (message: string, fields?: Fields): void => {
      try {
        log[level](message, fields);
      } catch {
        // There is no other place to report it.
      }
    };
  return { debug: guard("debug"), info: guard("info"), warn: guard("warn"), error: guard("error") };
}

const sparseIntervalMs = 60_000;
const maxSparseKeys = 200;

/**
 * A throttled logger for errors that may occur thousands of times a second: one line per key and minute, with `repeated` counting the
 * suppressed lines since the last one.
 */
export function createThrottledLog(log: AgentLog, clock: Clock): ThrottledLog {
  const keys = new Map<string, { untilMs: number; repeated: number }>();
  return (level, key, message, fields) => {
    const nowMs = clock.monotonicMs();
    const known = keys.get(key);
    if (known !== undefined && known.untilMs > nowMs) {
      known.repeated += 1;
      return;
    }
    if (known === undefined && keys.size >= maxSparseKeys) keys.clear();
    keys.set(key, { untilMs: nowMs + sparseIntervalMs, repeated: 0 });
    log[level](message, known !== undefined && known.repeated > 0 ? { ...fields, repeated: known.repeated } : fields);
  };
}

export type ThrottledLog = (level: Level, key: string, message: string, fields?: Fields) => void;

/** The message of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function writeLine(level: Level, message: string, fields: Fields | undefined): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
}
