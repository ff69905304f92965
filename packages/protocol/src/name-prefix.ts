/** The product name in settings, headers, cookies, metrics, key labels and file names. */
export const namePrefix = "svc";

/** Headers of the agent transport, in lower case as Node returns received headers. */
export const headerNames = {
  sessionNonce: `x-${namePrefix}-session-nonce`,
  longPollWorker: `x-${namePrefix}-longpoll-worker`,
  agentId: `x-${namePrefix}-agent-id`,
  projectId: `x-${namePrefix}-project-id`,
  runtimeFeatures: `x-${namePrefix}-runtime-features`,
  retryContracts: `x-${namePrefix}-retry-contracts`,
  /** Engines that can retry only by resubmitting, in the same form as retryContracts. */
  retryResubmits: `x-${namePrefix}-retry-resubmits`,
} as const;
