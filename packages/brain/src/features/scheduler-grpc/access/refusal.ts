import { isTransient } from "../../../platform/database/errors.ts";
import type { Log } from "../../../platform/log.ts";
import type { Audit } from "../../audit/index.ts";
import { InvalidFireRequest } from "../../fires/index.ts";
import { type StatusCode, statusCodes } from "../status-codes.ts";
import { addressOf, type Caller, type Connection, type Judge } from "./caller.ts";

/** What a refused call wanted. */
export interface RefusedTarget {
  readonly scheduleId?: string;
  readonly projectId?: string;
}

type RefusalKind = "denied" | "unauth" | "not_found" | "invalid";

const codes: Readonly<Record<RefusalKind, StatusCode>> = {
  denied: statusCodes.PERMISSION_DENIED,
  unauth: statusCodes.UNAUTHENTICATED,
  not_found: statusCodes.NOT_FOUND,
  invalid: statusCodes.INVALID_ARGUMENT,
};

/** A call that is refused with an audit row `schedules.access.<kind>`. */
export class CallRefusal extends Error {
  readonly kind: RefusalKind;
  readonly target: RefusedTarget;
  constructor(kind: RefusalKind, message: string, target: RefusedTarget = {}) {
    super(message);
    this.name = "CallRefusal";
    this.kind = kind;
    this.target = target;
  }
}

/** A call that is refused without an audit row, such as one over a limit. */
export class CallStatus extends Error {
  readonly code: StatusCode;
  constructor(code: StatusCode, message: string) {
    super(message);
    this.name = "CallStatus";
    this.code = code;
  }
}

/** How a call ends that does not succeed. */
export interface FailedStatus {
  readonly code: StatusCode;
  readonly details: string;
}

export interface GateDeps {
  readonly audit: Pick<Audit, "refused">;
  readonly log: Pick<Log, "warn" | "error">;
  readonly judge: Judge;
}

/** Admits callers, and turns errors into statuses and audit rows. */
export function createGate({ audit, log, judge }: GateDeps) {
  function record(refusal: CallRefusal, connection: Connection, caller: Caller | null): void {
    const action = `schedules.access.${refusal.kind}`;
    const { scheduleId = null, projectId = null } = refusal.target;
    const address = addressOf(connection);
    const certificate = caller?.certificate ?? null;
    audit.refused(
      {
        action,
        target_type: "schedule",
        target_id: scheduleId,
        project_id: projectId,
        result: "failed",
        outcome: "deny",
        source_ip: address,
        metadata: { certificate, reason: refusal.message },
      },
      certificate === null
        ? { scope: action, address }
        : { scope: `${action} ${certificate} ${scheduleId ?? ""}`, source: certificate },
    );
  }

  return {
    /** @throws CallRefusal */
    admit(connection: Connection): Caller {
      const judged = judge(connection);
      if (typeof judged === "string") throw new CallRefusal("unauth", judged);
      return judged;
    },
    /** Records a refusal that has an answer of its own. */
    record,
    failed(error: unknown, connection: Connection, caller: Caller | null): FailedStatus {
      const refusal = error instanceof InvalidFireRequest ? new CallRefusal("invalid", error.message) : error;
      if (refusal instanceof CallRefusal) {
        record(refusal, connection, caller);
        return { code: codes[refusal.kind], details: refusal.message };
      }
      if (refusal instanceof CallStatus) return { code: refusal.code, details: refusal.message };
      if (isTransient(error)) {
        log.warn("scheduler_grpc.call_failed", { err: error });
        return { code: statusCodes.UNAVAILABLE, details: "the database did not answer" };
      }
      log.error("scheduler_grpc.call_failed", { err: error });
      return { code: statusCodes.INTERNAL, details: "internal error" };
    },
  };
}
