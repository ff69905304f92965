import { type CommandAction, capabilityOfAction } from "@svc/protocol";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import {
  type AgentWithSessions,
  agentsOnlineWith,
  type CommandNeeds,
  findAgent,
  isAnyOnline,
  nearestOf,
  type Obstacle,
  obstacleOf,
} from "../../agents/index.ts";

/** The capability that an agent needs, for actions that not every agent supports. */
export interface Gate extends CommandNeeds {
  readonly action: "retry_task" | "cancel_task" | "bulk_retry" | "requeue_dead_letter";
  readonly engine: string;
}

type Reader = Pick<BrainDatabase, "read">;

/** The unrevoked agent of the project. @throws ApiError `not_found` */
export async function requireAgent({ read }: Reader, projectId: string, agentId: string): Promise<AgentWithSessions> {
  const agent = await findAgent(read, projectId, agentId);
  if (agent === null) throw new ApiError("not_found", { resource: "agent" });
  return agent;
}

/** Actions that a long-poll agent, whose capabilities are unknown, may receive when the request names it. */
const openToPolls: ReadonlySet<string> = new Set(["retry_task", "cancel_task", "requeue_dead_letter"]);

/**
 * Checks the agent that a request names: one of its sessions must be eligible, or its polls may receive the action.
 *
 * @throws ApiError `validation_error` with engine, capability and reason; `conflict` when the adapter needs overrides and the command has
 * none.
 */
export function admitNamed(agent: AgentWithSessions, gate: Gate): void {
  const obstacle = obstacleOf(agent.sessions, gate);
  const isPolling = agent.transport !== "ws" && (agent.last_connect_at ?? agent.last_seen_at) !== null;
  if (obstacle === null) return;
  if (obstacle === "overrides_required" || !isPolling) throw agentRefused(gate, obstacle);
  if (!openToPolls.has(gate.action)) throw agentRefused(gate, nearestOf([obstacle, "engine_not_advertised"]));
}

/** Eligible, at least with overrides. */
const isCapable = (obstacle: Obstacle | null): boolean => obstacle === null || obstacle === "overrides_required";

/**
 * The agent for a request that names none: the one that last reported the task, else the most recently seen eligible one.
 *
 * @throws ApiError as `admitNamed`.
 */
export async function chooseAgent(
  db: Reader,
  gate: Gate,
  { projectId, reportedBy }: { projectId: string; reportedBy: string | null },
): Promise<AgentWithSessions> {
  const reporter = reportedBy === null ? null : await findAgent(db.read, projectId, reportedBy);
  const isReporterCapable = reporter !== null && isCapable(obstacleOf(reporter.sessions, gate));
  const agents = isReporterCapable ? [reporter] : await agentsOnlineWith(db.read, { projectId, engine: gate.engine });
  const chosen = agents.find(({ sessions }) => isCapable(obstacleOf(sessions, gate)));
  if (chosen === undefined) throw agentRefused(gate, await nearestObstacle(db, gate, { projectId, agents }));
  admitNamed(chosen, gate);
  return chosen;
}

/** Why none of these agents is eligible. */
async function nearestObstacle(
  db: Reader,
  gate: Gate,
  { projectId, agents }: { projectId: string; agents: readonly AgentWithSessions[] },
): Promise<Obstacle> {
  if (agents.length === 0 && (await isAnyOnline(db.read, projectId))) return "engine_not_advertised";
  return nearestOf(agents.map(({ sessions }) => obstacleOf(sessions, gate)));
}

/**
 * Why no session of the agent (or of the project's agents when none is named) advertises the action for the engine. Null when one does;
 * `overrides_required` when all that do need overrides and the command has none.
 */
export async function whyNotAdvertised(
  db: Reader,
  gate: Gate,
  { projectId, agentId }: { projectId: string; agentId: string | null },
): Promise<Obstacle | null> {
  const agents =
    agentId === null
      ? await agentsOnlineWith(db.read, { projectId, engine: gate.engine })
      : [await requireAgent(db, projectId, agentId)];
  const found = agents.map(({ sessions }) => obstacleOf(sessions, gate));
  if (found.some((obstacle) => obstacle === null || obstacle === "retry_contract_missing")) return null;
  return nearestObstacle(db, gate, { projectId, agents });
}

const messages: Record<Exclude<Obstacle, "overrides_required">, string> = {
  agent_offline: "the agent is not connected",
  engine_not_advertised: "the agent does not serve the engine",
  capability_missing: "the agent does not support this action for the engine",
  retry_contract_missing: "the agent does not support the engine's safe retry contract",
};

/**
 * The error for an agent that is not eligible: a conflict when the command needs overrides, else an invalid request.
 *
 * @param place where the request names the engine.
 */
export function agentRefused(
  { action, engine }: { readonly action: CommandAction; readonly engine: string },
  reason: Obstacle,
  place: "body" | "query" = "body",
): ApiError {
  if (reason === "overrides_required") {
    const message = `${engine} can retry only with overrides: set override_args and override_kwargs`;
    return new ApiError("conflict", { reason, engine }, { message });
  }
  const message = messages[reason];
  const errors = [{ loc: [place, "engine"], type: reason, message }];
  return new ApiError(
    "validation_error",
    { engine, capability: capabilityOfAction[action], reason, errors },
    { message },
  );
}
