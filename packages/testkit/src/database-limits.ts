/** How tests open a database beside the service. */
export const databaseLimits = {
  // What a commit survives without being synced is every end of a process, which is all that tests bring about.
  synchronous: "normal",
  poolSize: 10,
  maxOverflow: 5,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 3000,
  idleInTransactionMs: 30_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
  onError: () => {},
} as const;
