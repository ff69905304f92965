/** The one envelope of every error answer: {error, message, details, request_id}, and `detail` for a few errors. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { isTransient } from "../database/errors.ts";
import type { Log } from "../log.ts";
import { createThrottledLog } from "../throttled-log.ts";
import { RequestInvalid } from "./content/validation.ts";
import { ApiError, type ErrorCode, errorCodes, invalid } from "./error-codes.ts";

export interface Envelope {
  error: string;
  message: string;
  details: Record<string, unknown>;
  request_id?: string;
  detail?: string;
}

/** The body of an error answer. ip_denied omits the request id, so that it is byte-identical for all requests. */
export function envelopeOf(error: ApiError, requestId: string): Envelope {
  return {
    error: error.code,
    message: error.message,
    details: error.details,
    ...(error.code === "ip_denied" ? {} : { request_id: requestId }),
    ...(error.detail === undefined ? {} : { detail: error.detail }),
  };
}

export type AnswerError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Log lines per minute about internal errors: each has its stack, and every request may cause one. */
const internalErrorLines = 20;

/** Answers a thrown error with the envelope. Only internal errors are logged, and throttled, because an overload fails every request. */
export function createErrorAnswer(log: Log, clock: Pick<Clock, "monotonicMs">): AnswerError {
  const internal = createThrottledLog(clock, (requests, about) => log.error("http.failed", { requests, ...about }), {
    burst: internalErrorLines,
  });
  const unready = createThrottledLog(clock, (requests, about) => log.warn("http.failed", { requests, ...about }));
  return (thrown, request, reply) => {
    const error = toApiError(thrown);
    if (error.status >= 500 && !(thrown instanceof ApiError)) {
      const failed = error.code === "internal_error" ? internal : unready;
      failed({
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        error: error.code,
        err: thrown,
      });
    }
    send(error, request, reply);
  };
}

function send(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(error.headers ?? {})) reply.header(name, value);
  if (error.status === 401 && request.routeOptions.config?.tag === "openapi")
    reply.header("www-authenticate", "Bearer");
  reply
    .code(error.status)
    .removeHeader("content-length")
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(envelopeOf(error, request.id)));
}

/** The ApiError for anything thrown while a request was served. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof RequestInvalid) return invalid(thrown.faults);
  const code = (thrown as { code?: unknown } | null)?.code;
  const made = typeof code === "string" ? frameworkErrors[code]?.() : undefined;
  if (made !== undefined) return made;
  // Class 42 is transient for ingest (a schema about to be migrated); in a request it is a bug.
  if (isTransient(thrown) && !(typeof code === "string" && /^42[0-9A-Z]{3}$/.test(code))) {
    return new ApiError("unready", { reason: "database" }, { cause: thrown, headers: { "retry-after": "1" } });
  }
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status === "number" && status >= 400 && status < 500) return new ApiError(codeForStatus(status));
  return new ApiError("internal_error", {}, { cause: thrown });
}

const malformedBody = () => invalid({ loc: ["body"], type: "json_invalid", message: "the body is not valid JSON" });
const malformedPath = () => invalid({ loc: ["path"], type: "path_invalid", message: "the path is not valid" });

/** What the framework throws before or around a handler. */
const frameworkErrors: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError("payload_too_large"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError("unsupported_media_type"),
  FST_ERR_CTP_EMPTY_TYPE: () => new ApiError("unsupported_media_type"),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: malformedBody,
  FST_ERR_CTP_EMPTY_JSON_BODY: malformedBody,
  FST_ERR_CTP_INVALID_JSON_BODY: malformedBody,
  FST_ERR_BAD_URL: malformedPath,
  FST_ERR_INVALID_URL: malformedPath,
  FST_ERR_MAX_PARAM_LENGTH: malformedPath,
  FST_ERR_NOT_FOUND: () => new ApiError("not_found"),
};

function codeForStatus(status: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return codes.find((code) => errorCodes[code].status === status) ?? "validation_error";
}
