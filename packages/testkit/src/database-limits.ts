/** Options for tests that open a database next to the service. */
export const databaseLimits = {
  // An unsynced commit survives the end of any process, and tests end nothing else.
  synchronous: "normal",
  poolSize: 10,
  maxOverflow: 5,
  // Only an error may reach these limits, even on a busy machine.
  statementTimeoutMs: 120_000,
  lockTimeoutMs: 60_000,
  idleInTransactionMs: 30_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
  onError: () => {},
} as const;
