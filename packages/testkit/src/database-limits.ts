/** How tests open a database beside the service. */
export const databaseLimits = {
  // What a commit survives without being synced is every end of a process, which is all that tests bring about.
  synchronous: "normal",
  poolSize: 10,
  maxOverflow: 5,
  // On a busy machine only a fault may reach these.
  statementTimeoutMs: 120_000,
  lockTimeoutMs: 60_000,
  idleInTransactionMs: 30_000,
  inactiveConnectionSeconds: 60,
  requireTls: false,
  onError: () => {},
} as const;
