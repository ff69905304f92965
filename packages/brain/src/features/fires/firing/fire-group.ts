import type { Tx } from "../../../platform/database/database.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { days } from "../../../platform/durations.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type {
  CommandRow,
  Core,
  PendingFireRow,
  ScheduleFireRow,
  ScheduleRow,
  ScheduleSkipRow,
  Tables,
} from "../../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { Commands, NewCommand } from "../../commands/index.ts";
import { disableSchedules } from "../../schedules/index.ts";
import { withWaitingFires } from "../buffer/replay-store.ts";
import { type FireAnswer, type FireRequest, InvalidFireRequest } from "../requests.ts";
import { createAgentChoice } from "./agent-choice.ts";
import { fireKey, fireParameters } from "./command-parameters.ts";
import { decideFire, type FireVerdict, type KnownFire, type LockedSchedule } from "./decide.ts";
import {
  insertFires,
  insertPendingFires,
  insertSkips,
  knownFires,
  lockForFires,
  updateCursors,
  withOpenFires,
} from "./fire-store.ts";

export interface FireGroupDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly commands: Pick<Commands, "issueIn">;
  readonly settings: { readonly SVC_PENDING_FIRES_RETENTION_DAYS: number };
}

/** A slot that becomes a fire. */
export interface AcceptedSlot {
  /** As it was before the fire. */
  readonly row: ScheduleRow;
  readonly fireId: string;
  readonly scheduledFor: Date;
  /** Who runs it by hand; absent for slots. */
  readonly issuer?: FireIssuer;
}

export interface FireIssuer {
  readonly userId: string;
  /** The user in the history of fires: only members of the project are. */
  readonly attributedTo: string | null;
  readonly origin: AuditOrigin;
}

/** The answer to a request, or why it is invalid. */
export type FireOutcome = FireAnswer | InvalidFireRequest;

export interface FiredGroup {
  readonly outcomes: readonly FireOutcome[];
  /** To offer after the commit. */
  readonly commands: readonly CommandRow[];
  /** Schedules whose cursor moved. */
  readonly moved: readonly ScheduleRow[];
  /** Those of them that were disabled because no slot follows. */
  readonly ended: readonly ScheduleRow[];
}

/**
 * Decides requests in their order and stores what follows, in the caller's transaction, which must not be shared: schedules are locked first,
 * in the order of their ids, and the audit chain last.
 */
export async function fireGroup(
  tx: Tx<Tables>,
  deps: FireGroupDeps,
  requests: readonly FireRequest[],
): Promise<FiredGroup> {
  const now = deps.clock.now();
  const schedules = await lockForFires(tx, [...new Set(requests.map(({ scheduleId }) => scheduleId))]);
  const known = await knownFires(tx, [...new Set(requests.map(({ fireId }) => fireId))]);
  const skipping = [...schedules.values()].flatMap(({ row }) => (row.overlap_policy === "skip" ? row.id : []));
  const open = await withOpenFires(tx, skipping, now);
  const changes = new GroupChanges(schedules, known, open);
  const verdicts = requests.map((request) => changes.decide(request));

  const stored = await storeFires(tx, deps, { slots: changes.accepted, now });
  await insertSkips(
    tx,
    changes.skipped.map(
      (row): ScheduleSkipRow => ({
        id: uuidV7(deps.clock),
        project_id: row.project_id,
        schedule_id: row.id,
        skipped_at: now,
        count: 1,
      }),
    ),
  );
  const changed = [...changes.changed.values()];
  await updateCursors(tx, changed);
  const ended = changed.filter(isOver);
  await disableSchedules(tx, ended, now);
  await deps.audit.append(tx, stored.entries);
  const outcomes = verdicts.map((verdict, index) => changes.outcomeOf(requests[index]!, verdict, stored.fires));
  return { outcomes, commands: stored.commands, moved: changed, ended };
}

/** A clocked schedule fires once. */
const isOver = ({ kind, is_enabled }: ScheduleRow): boolean => kind === "clocked" && is_enabled;

/** The schedules of a group while its requests are decided one after the other. */
class GroupChanges {
  readonly accepted: AcceptedSlot[] = [];
  readonly skipped: ScheduleRow[] = [];
  /** Rows with a new cursor, by id. */
  readonly changed = new Map<string, ScheduleRow>();
  readonly #schedules: Map<string, LockedSchedule>;
  readonly #known: Map<string, KnownFire>;
  readonly #open: Set<string>;

  constructor(schedules: Map<string, LockedSchedule>, known: Map<string, KnownFire>, open: Set<string>) {
    this.#schedules = schedules;
    this.#known = known;
    this.#open = open;
  }

  decide(request: FireRequest): FireVerdict {
    const { scheduleId, fireId, scheduledFor } = request;
    const verdict = decideFire(request, {
      known: this.#known.get(fireId),
      schedule: this.#schedules.get(scheduleId),
      isOpen: this.#open.has(scheduleId),
    });
    if (verdict.kind === "accepted") {
      const { row, next } = verdict;
      this.accepted.push({ row, fireId, scheduledFor });
      this.#known.set(fireId, { scheduleId, scheduledFor, commandId: null, isBuffered: false });
      this.#open.add(scheduleId);
      this.#move({ ...row, last_run_at: scheduledFor, next_run_at: next, total_runs: row.total_runs + 1 });
    } else if (verdict.kind === "skipped") {
      this.skipped.push(verdict.row);
      this.#move({ ...verdict.row, next_run_at: verdict.next });
    }
    return verdict;
  }

  outcomeOf(request: FireRequest, verdict: FireVerdict, fires: ReadonlyMap<string, ScheduleFireRow>): FireOutcome {
    if (verdict.kind === "invalid") return new InvalidFireRequest(verdict.reason);
    const row = this.#schedules.get(request.scheduleId)?.row ?? null;
    const { disposition, live } =
      verdict.kind === "refused"
        ? verdict
        : {
            disposition: verdict.kind === "skipped" ? ("SKIPPED_OVERLAP" as const) : ("ACCEPTED" as const),
            live: null,
          };
    // A fire of the same group may be repeated in it.
    const fire = fires.get(request.fireId);
    const stored = verdict.kind === "stored" ? verdict.fire : null;
    return {
      disposition,
      commandId: fire?.command_id ?? stored?.commandId ?? null,
      isBuffered: fire === undefined ? (stored?.isBuffered ?? false) : fire.status === "buffered",
      lastRunAt: row?.last_run_at ?? null,
      nextRunAt: row?.next_run_at ?? null,
      totalRuns: row?.total_runs ?? 0,
      live,
      errorCode: null,
      errorMessage: null,
    };
  }

  #move(row: ScheduleRow): void {
    this.changed.set(row.id, row);
    this.#schedules.set(row.id, { row, isProjectActive: true });
  }
}

/**
 * Stores fires: each with its command, or buffered while no agent can run it, and behind waiting fires of a schedule that fires all missed slots
 * in order. The caller appends the audit entries as its last step and offers the commands after the commit.
 */
export async function storeFires(
  tx: Tx<Tables>,
  { commands, clock, settings }: Omit<FireGroupDeps, "audit">,
  { slots, now }: { readonly slots: readonly AcceptedSlot[]; readonly now: Date },
): Promise<{ fires: Map<string, ScheduleFireRow>; commands: readonly CommandRow[]; entries: readonly AuditEntry[] }> {
  const chooseAgent = createAgentChoice(tx);
  const inOrder = slots.filter(({ row, issuer }) => row.catch_up === "fire_all_missed" && issuer === undefined);
  const waiting = await withWaitingFires(tx, [...new Set(inOrder.map(({ row }) => row.id))], now);
  const behind = new Set(inOrder.filter(({ row }) => waiting.has(row.id)));
  const given: NewCommand[] = [];
  for (const slot of slots) {
    if (behind.has(slot)) continue;
    const agentId = await chooseAgent(slot.row);
    if (agentId !== null) given.push(commandOf(slot, agentId));
  }
  const issued = await commands.issueIn(tx, given);
  const byKey = new Map(issued.commands.map((command) => [command.idempotency_key, command.id]));
  const fires = new Map<string, ScheduleFireRow>();
  const pending: PendingFireRow[] = [];
  for (const slot of slots) {
    const commandId = byKey.get(fireKey(slot.row.id, slot.fireId)) ?? null;
    const fire = fireOf(slot, { id: uuidV7(clock), commandId, now });
    fires.set(slot.fireId, fire);
    if (commandId === null) pending.push(pendingFireOf(slot, fire, settings.SVC_PENDING_FIRES_RETENTION_DAYS));
  }
  await insertFires(tx, [...fires.values()]);
  await insertPendingFires(tx, pending);
  return { fires, commands: issued.commands, entries: issued.entries };
}

const commandOf = ({ row, fireId, scheduledFor, issuer }: AcceptedSlot, agentId: string): NewCommand => ({
  projectId: row.project_id,
  agentId,
  action: "schedule.fire",
  target: { type: "schedule", id: row.id },
  parameters: fireParameters(row, { fireId, scheduledFor }),
  idempotencyKey: fireKey(row.id, fireId),
  ...(issuer !== undefined && {
    issuedBy: issuer.userId,
    sourceIp: issuer.origin.source_ip,
    origin: issuer.origin,
  }),
  facts: { fire_id: fireId },
});

const fireOf = (
  { row, fireId, scheduledFor, issuer }: AcceptedSlot,
  { id, commandId, now }: { id: string; commandId: string | null; now: Date },
): ScheduleFireRow => ({
  id,
  project_id: row.project_id,
  schedule_id: row.id,
  fire_id: fireId,
  command_id: commandId,
  status: commandId === null ? "buffered" : "accepted",
  scheduled_for: scheduledFor,
  fired_at: now,
  dispatched_at: null,
  acked_at: null,
  latency_ms: null,
  error_code: null,
  error_message: null,
  triggered_by_user_id: issuer?.attributedTo ?? null,
  engine: row.engine,
  task_id: null,
});

const pendingFireOf = ({ row }: AcceptedSlot, fire: ScheduleFireRow, keptDays: number): PendingFireRow => ({
  fire_id: fire.fire_id,
  project_id: fire.project_id,
  schedule_id: fire.schedule_id,
  engine: fire.engine,
  payload: storedJson(fireParameters(row, { fireId: fire.fire_id, scheduledFor: fire.scheduled_for })),
  definition_digest: row.definition_digest,
  schedule_revision: row.schedule_revision,
  scheduled_for: fire.scheduled_for,
  fired_at: fire.fired_at,
  enqueued_at: fire.fired_at,
  expires_at: new Date(fire.fired_at.getTime() + days(keptDays)),
});
