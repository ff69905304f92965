/**
 * The safe retry contract (spec part 3, section 4.2 rule 3): a command that retries goes only to a session that honours the contract of
 * the command's engine. A WebSocket tells its engines in the hello, a poll in a header.
 */

/** Actions that need the contract. */
export const contractActions = ["retry_task", "bulk_retry"] as const;

const needsContract: ReadonlySet<string> = new Set(contractActions);

/** The engine that a command's parameters name; null when they name none. */
export function engineOf(parameters: Record<string, unknown>): string | null {
  const filter = parameters.filter as { engine?: unknown } | null | undefined;
  const engine = parameters.engine ?? filter?.engine;
  return typeof engine === "string" ? engine : null;
}

/** What a session may be given. */
export interface SessionReach {
  /** Engines whose safe retry contract the session honours. */
  readonly retryContracts: ReadonlySet<string>;
  /** Engines that the session serves; absent where nobody knows, as for polls. */
  readonly engines?: ReadonlySet<string>;
}

/** Whether a session may be given such a command. */
export const mayBeGiven = (
  { action, engine }: { readonly action: string; readonly engine: string | null },
  { retryContracts, engines }: SessionReach,
): boolean =>
  (engine === null || engines === undefined || engines.has(engine)) &&
  (!needsContract.has(action) || (engine !== null && retryContracts.has(engine)));
