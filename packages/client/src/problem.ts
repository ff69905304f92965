/**
 * A failed call. `code` is the `error` of the envelope, or one of the client's own codes: `unreachable` (no response, status 0),
 * `unreadable` (a response that is not from the API, such as a proxy's page) and `unaddressable` (an id that no URL can contain, status 0).
 */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  /** Whole seconds of the Retry-After header. Null without one. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: {
    code: string;
    status: number;
    message: string;
    details?: Record<string, unknown>;
    requestId?: string | null;
    retryAfterSeconds?: number | null;
    cause?: unknown;
  }) {
    super(facts.message, { cause: facts.cause });
    this.name = "ApiProblem";
    this.code = facts.code;
    this.status = facts.status;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

export function isProblem(error: unknown, code?: string): error is ApiProblem {
  return error instanceof ApiProblem && (code === undefined || error.code === code);
}

/** The problem of an error response with the body `text`. */
export function problemOf(response: Response, text: string): ApiProblem {
  const envelope = readEnvelope(text);
  return new ApiProblem({
    code: envelope?.error ?? "unreadable",
    status: response.status,
    message: envelope?.message ?? `the server returned ${response.status} without an error message`,
    details: envelope?.details ?? {},
    requestId: envelope?.request_id ?? response.headers.get("x-request-id"),
    retryAfterSeconds: readSeconds(response.headers.get("retry-after")),
  });
}

interface Envelope {
  error: string;
  message: string;
  details: Record<string, unknown>;
  request_id: string | null;
}

function readEnvelope(text: string): Envelope | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return null;
    const { error, message, details, request_id } = body as Record<string, unknown>;
    if (typeof error !== "string") return null;
    return {
      error,
      message: typeof message === "string" ? message : error,
      details: typeof details === "object" && details !== null ? (details as Record<string, unknown>) : {},
      request_id: typeof request_id === "string" ? request_id : null,
    };
  } catch {
    return null;
  }
}

function readSeconds(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header.trim())) return null;
  return Number(header);
}
