/** The statuses that calls end with. Numbers of gRPC, listed here because its library is loaded only when a listener starts. */
export const statusCodes = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type StatusCode = (typeof statusCodes)[keyof typeof statusCodes];
