import type { CommandAction } from "@svc/protocol";
import type { Core, ScheduleRow } from "../../../schema/tables/index.ts";
import { eligibleAgents, isAnyOnline } from "../../agents/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../../audit/index.ts";
import type { Commands, NewCommand } from "../../commands/index.ts";

/** Who acts on native schedules, and in which project. */
export interface Requester {
  readonly projectId: string;
  readonly origin: AuditOrigin;
}

export interface SendDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly commands: Pick<Commands, "issueIn" | "offer">;
}

export type NativeSchedule = Pick<ScheduleRow, "id" | "project_id" | "scheduler" | "name">;

/** Why no agent can carry out an action of a scheduler. */
export type Unsendable = "no_online_agent" | "scheduler_not_installed";

/** The online agent, seen last, that offers the action for the scheduler of the schedule; else why there is none. */
export async function agentFor(
  { database: { read } }: Pick<Core, "database">,
  { project_id: projectId, scheduler: engine }: NativeSchedule,
  action: CommandAction,
): Promise<{ readonly agentId: string } | { readonly reason: Unsendable }> {
  const [agentId] = await eligibleAgents(read, { action, engine, hasInputs: false }, { projectId });
  if (agentId !== undefined) return { agentId };
  return { reason: (await isAnyOnline(read, projectId)) ? "scheduler_not_installed" : "no_online_agent" };
}

/** A command about one schedule. The scheduler is the adapter that it is for. */
export const commandAbout = (
  schedule: NativeSchedule,
  { action, agentId, origin }: { action: CommandAction; agentId: string; origin: AuditOrigin },
): NewCommand => ({
  projectId: schedule.project_id,
  agentId,
  action,
  target: { type: "schedule", id: schedule.id },
  parameters: {
    engine: schedule.scheduler,
    schedule_id: schedule.id,
    name: schedule.name,
    scheduler: schedule.scheduler,
  },
  issuedBy: origin.user_id,
  sourceIp: origin.source_ip,
  origin,
});

/** The audit row of an action on one schedule. It replaces the row of its command. */
export const entryAbout = (
  schedule: NativeSchedule,
  action: string,
  origin: AuditOrigin,
  metadata: Record<string, unknown>,
): AuditEntry => ({
  ...origin,
  action,
  target_type: "schedule",
  target_id: schedule.id,
  project_id: schedule.project_id,
  metadata: { name: schedule.name, scheduler: schedule.scheduler, ...metadata },
});
