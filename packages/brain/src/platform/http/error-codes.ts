/**
 * Every error code of the service with its status and message. A retired code stays listed and never gets a new meaning.
 */
export const errorCodes = {
  validation_error: { status: 422, message: "the request is not valid" },
  unauthenticated: { status: 401, message: "authentication is required" },
  forbidden: { status: 403, message: "this action is not allowed" },
  scope_missing: { status: 403, message: "the API key lacks the scope for this route" },
  ip_denied: { status: 403, message: "the source address is not allowed for this surface" },
  project_inactive: { status: 403, message: "the project is archived" },
  mfa_enrollment_required: { status: 403, message: "a second factor must be set up first" },
  mfa_reverify_required: { status: 403, message: "the second factor must be verified again" },
  step_up_required: { status: 403, message: "enter the password or a code again" },
  csrf_failed: { status: 403, message: "the CSRF check failed" },
  not_found: { status: 404, message: "not found" },
  method_not_allowed: { status: 405, message: "this path does not accept this method" },
  conflict: { status: 409, message: "the request conflicts with the current state" },
  invalid_host: { status: 400, message: "the Host header is not one of this service's hosts" },
  protocol_incompatible: { status: 426, message: "the protocol version is not supported" },
  rate_limited: { status: 429, message: "too many requests" },
  payload_too_large: { status: 413, message: "the body is too large" },
  unsupported_media_type: { status: 415, message: "the media type is not supported" },
  gone: { status: 410, message: "this is no longer available" },
  adapter_error: { status: 502, message: "the agent's engine adapter failed" },
  unready: { status: 503, message: "the service is not ready" },
  command_timeout: { status: 504, message: "the agent did not answer in time" },
  internal_error: { status: 500, message: "an internal error occurred" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCodes;

export interface ApiErrorOptions extends ErrorOptions {
  /** Text of the top-level `detail` key, which only a few errors have. */
  detail?: string;
  /** 400 instead of 422; only meaningful with validation_error. */
  status?: 400;
  /** A more specific message than the table's; it never contains input or a secret. */
  message?: string;
  headers?: Record<string, string>;
}

/** The one error that handlers and decisions throw; the facts go into `details`. A refusal has no stack trace, because floods consist of refusals. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly detail: string | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, details: Record<string, unknown> = {}, options: ApiErrorOptions = {}) {
    const status = options.status ?? errorCodes[code].status;
    const { stackTraceLimit } = Error;
    if (status < 500) Error.stackTraceLimit = 0;
    super(options.message ?? errorCodes[code].message, "cause" in options ? { cause: options.cause } : {});
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.details = details;
    this.detail = options.detail;
    this.headers = options.headers;
  }
}

/** One entry of a 422's details.errors; `loc` starts with body, query, path or header. Never holds an input value. */
export interface ValidationFault {
  loc: (string | number)[];
  type: string;
  message: string;
  /** Where in the text of a query language: UTF-16 offsets, `to` exclusive. */
  at?: number;
  to?: number;
}

/** The 422 for errors that only a decision can find; schemas report theirs in the same shape. */
export function invalid(faults: ValidationFault | ValidationFault[], details: Record<string, unknown> = {}): ApiError {
  return new ApiError("validation_error", { ...details, errors: Array.isArray(faults) ? faults : [faults] });
}
