import { cadenceFingerprint } from "@svc/cadence";
import {
  type AcknowledgeRequest,
  type AdvanceCursorRequest,
  type AdvanceCursorResponse,
  type FireOutcome,
  type FireScheduleRequest,
  type FireScheduleResponse,
  type FireSchedulesRequest,
  type FireSchedulesResponse,
  isUuid,
  maxFiresPerCall,
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
import { CallRefusal, CallStatus, type FailedStatus } from "../access/refusal.ts";
import type { FireRate } from "../limits/fire-rate.ts";
import { statusCodes } from "../status-codes.ts";
import { findFireProject, findScheduleProjects } from "../streams/stream-reads.ts";
import { advanceResponse, fireResponse, maxBytesOf } from "./messages.ts";
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
  /** The status of one failure among several results, recorded like that of a call. */
  failed(error: unknown): FailedStatus;
}

/** Maximum bytes of schedules in one answer, below the limit of its message. One has up to 128 KiB of arguments. */
const maxLiveBytes = 768 * 1024;

/** Calls with one request and one answer. Each throws CallRefusal, CallStatus, or the error of what it calls. */
export function createUnaryCalls({ database, clock, version, fires, quarantine, rate }: UnaryDeps) {
  /** Checks that the caller may see the projects of schedules. The check throws CallRefusal `denied`. */
  async function checkOf({ slugs }: Caller, scheduleIds: readonly string[]): Promise<(scheduleId: string) => void> {
    if (slugs === null) return () => undefined;
    const projects = await findScheduleProjects(database.read, scheduleIds);
    return (scheduleId) => {
      const project = projects.get(scheduleId);
      if (project !== undefined && !slugs.has(project.slug))
        throw outsideBinding({ scheduleId, projectId: project.id });
    };
  }

  const requireSchedule = async (caller: Caller, scheduleId: string): Promise<void> =>
    (await checkOf(caller, [scheduleId]))(scheduleId);

  const missing = (scheduleId: string) => new CallRefusal("not_found", "no such schedule", { scheduleId });

  async function fire(
    given: FireScheduleRequest,
    { caller, record }: Pick<CallContext, "caller" | "record">,
    check?: Promise<(scheduleId: string) => void>,
  ): Promise<FireScheduleResponse> {
    const request = readFireRequest(given);
    try {
      if (rate !== null && !(await rate.take(caller.certificate)))
        throw new CallStatus(statusCodes.RESOURCE_EXHAUSTED, "too many fires; try again");
      (await (check ?? checkOf(caller, [request.scheduleId])))(request.scheduleId);
      const answer = await fires.fire(request);
      if (answer.disposition === "STALE_CONTROL" && answer.live === null) record(missing(request.scheduleId));
      return fireResponse(answer);
    } catch (error) {
      if (!isTransient(error)) throw error;
      return fireResponse(retry);
    }
  }

  return {
    ping: async (): Promise<PingResponse> => ({
      brain_version: version,
      brain_time: timestampOf(clock.now()),
      contract_version: schedulerContractVersion,
      cadence_fingerprint: cadenceFingerprint,
    }),

    fire,

    /** Fires each slot on its own: a refused one has no effect on the others. */
    async fireMany({ fires: given }: FireSchedulesRequest, context: CallContext): Promise<FireSchedulesResponse> {
      if (given.length > maxFiresPerCall)
        throw new CallRefusal("invalid", `fires must have at most ${maxFiresPerCall} entries`);
      const ids = given.flatMap(({ schedule_id }) => (isUuid(schedule_id) ? schedule_id.toLowerCase() : []));
      const check = checkOf(context.caller, [...new Set(ids)]);
      // Each fire reports a failure, but perhaps none gets that far.
      check.catch(() => undefined);
      const results = await Promise.all(
        given.map((each) =>
          fire(each, context, check).then(
            (answer): FireOutcome => ({ answer }),
            (error: unknown): FireOutcome => {
              const { code, details } = context.failed(error);
              return { refusal: { code, message: details } };
            },
          ),
        ),
      );
      return { results: limitLive(results) };
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

/** Answers whose schedule no longer fits are repeated by the scheduler, when the first ones are settled. */
function limitLive(results: readonly FireOutcome[]): FireOutcome[] {
  let bytes = 0;
  return results.map((result) => {
    const live = result.answer?.live ?? null;
    if (live === null) return result;
    bytes += maxBytesOf(live);
    return bytes <= maxLiveBytes
      ? result
      : { answer: { ...fireResponse(retry), error_code: "answer_too_large", error_message: "the answer has no room" } };
  });
}

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
