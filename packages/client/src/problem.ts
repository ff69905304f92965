/**
 * Every way a call can fail. `code` is the envelope's `error` word; three codes are the client's own: `unreachable`
 * (no answer at all, status 0), `unreadable` (an answer that is not the API's, for instance a proxy's page) and
 * `unaddressable` (an id that no address can carry, status 0).
 */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  /** Whole seconds from the Retry-After header; null when the answer had none. */
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

/** The problem an answer stands for; `text` is its whole body. */
export function problemOf(response: Response, text: string): ApiProblem {
  const envelope = readEnvelope(text);
  return new ApiProblem({
    code: envelope?.error ?? "unreadable",
    status: response.status,
    message: envelope?.message ?? `the server answered ${response.status} without an explanation`,
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
