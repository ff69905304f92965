/** Size and count limits of the wire protocol. */
export const wireLimits = {
  frameBytes: 1_048_576,
  frameIdCharacters: 64,
  nonceCharacters: 32,
  eventsPerBatch: 5_000,
  framesPerUpload: 500,
  retryContracts: 64,
  ackErrors: 10,
} as const;

/** Timeouts and intervals of the wire protocol, in milliseconds. */
export const wireTimes = {
  helloMs: 10_000,
  helloAckMs: 10_000,
  brainPingMs: 20_000,
  brainPongMs: 30_000,
  agentPingMs: 60_000,
  agentCloseMs: 5_000,
  frameAgeMs: 60_000,
  nonceMemoryMs: 180_000,
  ackDeadlineMs: 90_000,
  ackSweepMs: 2_000,
  uploadTimeoutMs: 15_000,
  pollSlackMs: 10_000,
  snapshotTimeoutMs: 5_000,
} as const;
