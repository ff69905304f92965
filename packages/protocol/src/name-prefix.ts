/** The one name constant of the product: part of variables, headers, cookies, metrics, label bytes and file names. */
export const namePrefix = "svc";

/** Headers of the agent transport, in the lower case that node gives received headers. */
export const headerNames = {
  sessionNonce: `x-${namePrefix}-session-nonce`,
  longPollWorker: `x-${namePrefix}-longpoll-worker`,
  agentId: `x-${namePrefix}-agent-id`,
  projectId: `x-${namePrefix}-project-id`,
  runtimeFeatures: `x-${namePrefix}-runtime-features`,
  retryContracts: `x-${namePrefix}-retry-contracts`,
  /** Ours: engines that only submit again, in the form of retryContracts. */
  retryResubmits: `x-${namePrefix}-retry-resubmits`,
} as const;
