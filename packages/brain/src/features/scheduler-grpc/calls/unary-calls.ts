import { cadenceFingerprint } from "@svc/cadence";
import {
  type AcknowledgeRequest,
  type AdvanceCursorRequest,
  type AdvanceCursorResponse,
  type FireScheduleRequest,
  type FireScheduleResponse,
  type PingResponse,
  type QuarantineRequest,
  type QuarantineResponse,
  schedulerContractVersion,
  timestampOf,
} from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";
import { isTransient } from "../../../platform/database/errors.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { FireAnswer, FireCalls } from "../../fires/index.ts";
import type { Caller } from "../access/caller.ts";
import { CallRefusal, CallStatus } from "../access/refusal.ts";
import type { FireRate } from "../limits/fire-rate.ts";
import { statusCodes } from "../status-codes.ts";
import { findFireProject, findScheduleProject } from "../streams/stream-reads.ts";
import { advanceResponse, fireResponse } from "./messages.ts";
import {
  type QuarantineCall,
  readAcknowledgement,
  readAdvanceRequest,
  readFireRequest,
  readQuarantine,
} from "./requests.ts";

export interface QuarantineAnswer {
  readonly outcome: "APPLIED" | "ALREADY_APPLIED" | "STALE_CONTROL" | "NOT_FOUND";
  /** Of the schedule; 0 when there is none. */
  readonly revision: number;
}

export interface UnaryDeps {
  readonly database: Pick<BrainDatabase, "read">;
  readonly clock: Clock;
  readonly version: string;
  readonly fires: FireCalls;
  /** Stops a schedule that cannot be fired. Its project was compared with the binding before. */
  readonly quarantine: (call: QuarantineCall & { readonly projectIds: null }) => Promise<QuarantineAnswer>;
  /** Null without a limit. */
  readonly rate: FireRate | null;
}

/** What a call needs in addition to its request. */
export interface CallContext {
  readonly caller: Caller;
  /** Records a refusal whose answer is a message, not a status. */
  record(refusal: CallRefusal): void;
}

/** Calls with one request and one answer. Each throws CallRefusal, CallStatus, or the error of what it calls. */
export function createUnaryCalls({ database, clock, version, fires, quarantine, rate }: UnaryDeps) {
  /** @throws CallRefusal `denied` when the caller may not see the project of the schedule. */
  async function requireSchedule({ slugs }: Caller, scheduleId: string): Promise<void> {
    if (slugs === null) return;
    const project = await findScheduleProject(database.read, scheduleId);
    if (project !== undefined && !slugs.has(project.slug)) throw outsideBinding({ scheduleId, projectId: project.id });
  }

  const missing = (scheduleId: string) => new CallRefusal("not_found", "no such schedule", { scheduleId });

  return {
    ping: async (): Promise<PingResponse> => ({
      brain_version: version,
      brain_time: timestampOf(clock.now()),
      contract_version: schedulerContractVersion,
      cadence_fingerprint: cadenceFingerprint,
    }),

    async fire(given: FireScheduleRequest, { caller, record }: CallContext): Promise<FireScheduleResponse> {
      const request = readFireRequest(given);
      try {
        if (rate !== null && !(await rate.take(caller.certificate)))
          throw new CallStatus(statusCodes.RESOURCE_EXHAUSTED, "too many fires; try again");
        await requireSchedule(caller, request.scheduleId);
        const answer = await fires.fire(request);
        if (answer.disposition === "STALE_CONTROL" && answer.live === null) record(missing(request.scheduleId));
        return fireResponse(answer);
      } catch (error) {
        if (!isTransient(error)) throw error;
        return fireResponse(retry);
      }
    },

    async advance(given: AdvanceCursorRequest, { caller, record }: CallContext): Promise<AdvanceCursorResponse> {
      const request = readAdvanceRequest(given);
      await requireSchedule(caller, request.scheduleId);
      const answer = await fires.advance(request);
      if (answer.disposition === "ADVANCE_STALE_CONTROL" && answer.live === null) record(missing(request.scheduleId));
      return advanceResponse(answer);
    },

    async acknowledge(given: AcknowledgeRequest, { caller }: CallContext): Promise<{ applied: boolean }> {
      const request = readAcknowledgement(given);
      const project = await findFireProject(database.read, request.fireId);
      if (project === undefined) throw new CallRefusal("not_found", "no such fire");
      if (caller.slugs?.has(project.slug) === false) throw outsideBinding({ projectId: project.id });
      return { applied: await fires.acknowledge(request) };
    },

    async quarantine(given: QuarantineRequest, { caller, record }: CallContext): Promise<QuarantineResponse> {
      const request = readQuarantine(given);
      await requireSchedule(caller, request.scheduleId);
      const { outcome, revision } = await quarantine({ ...request, projectIds: null });
      if (outcome === "NOT_FOUND") record(missing(request.scheduleId));
      return { outcome: `QUARANTINE_${outcome}`, revision };
    },
  };
}

export type UnaryCalls = ReturnType<typeof createUnaryCalls>;

const outsideBinding = (target: { scheduleId?: string; projectId: string }) =>
  new CallRefusal("denied", "the certificate is bound to other projects", target);

const retry: FireAnswer = {
  disposition: "RETRY",
  commandId: null,
  isBuffered: false,
  lastRunAt: null,
  nextRunAt: null,
  totalRuns: 0,
  live: null,
  errorCode: "database_unavailable",
  errorMessage: "the database did not answer",
};
