import { randomUUID } from "node:crypto";
import type { Tx } from "../../../platform/database/database.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { CommandRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { agentsOnlineWith, isAnyOnline } from "../../agents/index.ts";
import type { AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { Memberships } from "../../memberships/index.ts";
import { lockSchedule, noSchedule, ownScheduler } from "../../schedules/index.ts";
import { type FireCallsDeps, writeFires } from "../firing/fire-calls.ts";
import { storeFires } from "../firing/fire-group.ts";

/** Who runs a schedule or ends a fire, and in which project. */
export interface FireRequester {
  readonly projectId: string;
  readonly userId: string;
  readonly origin: AuditOrigin;
}

/** Asks the scheduler of an engine to run one of its schedules now. @throws ApiError `not_found` or `conflict` */
export type TriggerNative = (
  schedule: ScheduleRow,
  requester: FireRequester,
) => Promise<{ readonly commandId: string }>;

export interface TriggerDeps extends FireCallsDeps {
  readonly memberships: Pick<Memberships, "isMember">;
  /** Absent while no agent serves schedulers of engines. */
  readonly triggerNative?: TriggerNative | undefined;
}

export interface Triggered {
  readonly schedule: ScheduleRow;
  readonly commandId: string;
  /** Null for a schedule that an engine fires. */
  readonly fireId: string | null;
}

/** Runs a schedule once, now. Neither its slots nor its run counter change. */
export function createTrigger(deps: TriggerDeps) {
  /** @throws ApiError `not_found`, also with the reason why no agent can run it; `conflict` for a paused or quarantined schedule */
  return async function trigger(id: string, requester: FireRequester): Promise<Triggered> {
    const { triggerNative } = deps;
    const { schedule, fireId, commands } = await writeFires(deps, (tx) => fireNow(tx, deps, id, requester));
    deps.commands.offer(...commands);
    const [command] = commands;
    if (command !== undefined) return { schedule, commandId: command.id, fireId };
    if (triggerNative === undefined) throw unreachable("no_online_agent");
    return { schedule, ...(await triggerNative(schedule, requester)), fireId: null };
  };
}

interface FiredNow {
  readonly schedule: ScheduleRow;
  readonly fireId: string | null;
  /** Empty for a schedule that an engine fires. */
  readonly commands: readonly CommandRow[];
}

async function fireNow(
  tx: Tx<Tables>,
  deps: TriggerDeps,
  id: string,
  { projectId, userId, origin }: FireRequester,
): Promise<FiredNow> {
  const row = await lockSchedule(tx, projectId, id);
  if (row === undefined) throw noSchedule();
  if (row.paused_at !== null) throw refused("schedule_paused");
  if (row.quarantined_at !== null) throw refused("schedule_quarantined");
  if (row.scheduler !== ownScheduler) return { schedule: row, fireId: null, commands: [] };
  const now = deps.clock.now();
  const fireId = randomUUID();
  const attributedTo = (await deps.memberships.isMember(tx, projectId, userId)) ? userId : null;
  const issuer = { userId, attributedTo, origin };
  const { commands, entries } = await storeFires(tx, deps, {
    slots: [{ row, fireId, scheduledFor: now, issuer }],
    now,
  });
  const [command] = commands;
  // The buffer is for slots: a user who runs a schedule now does not expect a task days later.
  if (command === undefined) throw await absence(tx, row);
  const entry: AuditEntry = {
    ...origin,
    action: "schedule.trigger_now",
    target_type: "schedule",
    target_id: row.id,
    project_id: projectId,
    metadata: { name: row.name, fire_id: fireId, command_id: command.id },
  };
  await deps.audit.append(tx, [...entries, entry]);
  return { schedule: row, fireId, commands };
}

const conflicts = {
  schedule_paused: "the schedule is paused",
  schedule_quarantined: "the schedule is quarantined",
  schedule_not_runnable: "no online agent can submit tasks of the engine",
};

const refused = (reason: keyof typeof conflicts): ApiError =>
  new ApiError("conflict", { reason }, { message: conflicts[reason] });

const absences = {
  no_online_agent: "no agent of the project is online",
  engine_not_installed: "no online agent serves the engine",
};

const unreachable = (reason: keyof typeof absences): ApiError =>
  new ApiError("not_found", { reason }, { message: absences[reason] });

/** Why no agent can run the schedule. */
async function absence(tx: Tx<Tables>, { project_id: projectId, engine }: ScheduleRow): Promise<ApiError> {
  if ((await agentsOnlineWith(tx, { projectId, engine })).length > 0) return refused("schedule_not_runnable");
  return unreachable((await isAnyOnline(tx, projectId)) ? "engine_not_installed" : "no_online_agent");
}
