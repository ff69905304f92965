/** An error of the embedded database, carried over from its thread. */
export class SqliteError extends Error {
  /** SQLite's extended result code, 0 when the error was not SQLite's. */
  readonly resultCode: number;
  constructor(message: string, resultCode: number) {
    super(message);
    this.name = "SqliteError";
    this.resultCode = resultCode;
  }
}

/** Too many transactions wait in this process. The code is PostgreSQL's insufficient_resources, which is transient. */
export class TooManyTransactions extends Error {
  readonly code = "53000";
  constructor() {
    super("too many transactions are waiting for the database");
    this.name = "TooManyTransactions";
  }
}

// Errors for which a retry may succeed.
const transientClasses = new Set(["08", "40", "42", "53", "55", "57", "58"]);
const transientCodes = new Set(["25006", "25P03", "25P04"]);
const transientSystemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
]);
const transientMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

// Primary result codes: ABORT, BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL, SCHEMA.
const transientSqliteCodes = new Set([4, 5, 6, 7, 8, 10, 13, 14, 15, 17]);

/**
 * SQLITE_ABORT_ROLLBACK: the transaction of a statement was undone for a reason outside of it, as when the server database loses a
 * connection.
 */
export const undoneResultCode = 516;

/** Whether an error of either database is transient (connection, lock, resources), so that the work may simply be tried again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof SqliteError) return transientSqliteCodes.has(error.resultCode & 0xff);
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") {
    if (transientSystemCodes.has(code) || transientCodes.has(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code)) return transientClasses.has(code.slice(0, 2));
  }
  if (transientMessages.test(error.message)) return true;
  // "cached plan must not change result type" comes as 0A000.
  return code === "0A000" && error.message.includes("cached plan");
}

/** Whether the server database ended a statement because two transactions waited for each other (deadlock_detected). */
export const isLostLockRace = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "40P01";

/** Whether an error is a violated unique constraint, on either database. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof SqliteError) return error.resultCode === 2067 || error.resultCode === 1555;
  return error instanceof Error && (error as { code?: unknown }).code === "23505";
}
