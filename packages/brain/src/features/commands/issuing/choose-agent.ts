import { retryContractMarker, retryResubmitsMarker } from "@svc/protocol";

import { ApiError } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { type Abilities, contractActions } from "../delivery/contract.ts";
import { type AgentFacts, agentsOnlineWith, findAgent, findAgents, isAnyOnline } from "./session-reads.ts";

/** Actions that an agent must be able to carry out before a command of them is made; each is a capability token as well. */
export type GatedAction = "retry_task" | "cancel_task" | "bulk_retry" | "requeue_dead_letter";

/** Why an agent does not qualify, from the furthest to the nearest. */
const reasons = ["agent_offline", "engine_not_advertised", "capability_missing", "retry_contract_missing"] as const;
export type RefusalReason = (typeof reasons)[number];

export interface Gate {
  readonly action: GatedAction;
  readonly engine: string;
  /** The command brings its own inputs, so that an adapter which can only submit again may carry it out. */
  readonly hasInputs: boolean;
}

type Verdict = { readonly reason: RefusalReason } | { readonly reason: null; readonly resubmits: boolean };

const needsContract: ReadonlySet<string> = new Set(contractActions);

/** What one session may be asked for. */
function judgeSession(abilities: Abilities, { action, engine }: Gate): Verdict {
  const tokens = Object.hasOwn(abilities, engine) ? abilities[engine] : undefined;
  if (tokens === undefined) return { reason: "engine_not_advertised" };
  if (!tokens.includes(action)) return { reason: "capability_missing" };
  if (!needsContract.has(action)) return { reason: null, resubmits: false };
  if (tokens.includes(retryResubmitsMarker)) return { reason: null, resubmits: true };
  return tokens.includes(retryContractMarker)
    ? { reason: null, resubmits: false }
    : { reason: "retry_contract_missing" };
}

/** The best of an agent's sessions; where one of them would submit again, the command must be fit for it. */
function judgeAgent({ sessions }: Pick<AgentFacts, "sessions">, gate: Gate): Verdict {
  let best: RefusalReason = "agent_offline";
  let isAble = false;
  let resubmits = false;
  for (const abilities of sessions) {
    const verdict = judgeSession(abilities, gate);
    if (verdict.reason === null) {
      isAble = true;
      resubmits ||= verdict.resubmits;
    } else {
      best = nearer(best, verdict.reason);
    }
  }
  return isAble ? { reason: null, resubmits } : { reason: best };
}

const nearer = (a: RefusalReason, b: RefusalReason): RefusalReason => (reasons.indexOf(a) > reasons.indexOf(b) ? a : b);

type Reader = Pick<BrainDatabase, "read">;

/** The unrevoked agent of the project. @throws ApiError `not_found` */
export async function requireAgent({ read }: Reader, projectId: string, agentId: string): Promise<AgentFacts> {
  const agent = await findAgent(read, projectId, agentId);
  if (agent === null) throw new ApiError("not_found", { resource: "agent" });
  return agent;
}

/** Actions for which a long-poll agent, whose abilities nobody knows, is taken at its operator's word. */
const openToPolls: ReadonlySet<GatedAction> = new Set(["retry_task", "cancel_task", "requeue_dead_letter"]);

/**
 * Judges the agent that a request names (spec part 3, section 4.2).
 *
 * @throws ApiError `validation_error` with engine, capability and reason; `conflict` when its adapter can only submit again and the command
 * brings no inputs.
 */
export function admitNamed(agent: AgentFacts, gate: Gate): void {
  const verdict = judgeAgent(agent, gate);
  const isPolling = agent.transport !== "ws" && (agent.last_connect_at ?? agent.last_seen_at) !== null;
  if (verdict.reason === null) requireInputs(verdict.resubmits, gate);
  else if (!isPolling) throw refused(gate, verdict.reason);
  else if (!openToPolls.has(gate.action)) throw refused(gate, nearer(verdict.reason, "engine_not_advertised"));
}

/**
 * The agent for a request that names none: the one that reported the task last, else the qualifying one that was seen last.
 *
 * @throws ApiError as `admitNamed`.
 */
export async function chooseAgent(
  db: Reader,
  gate: Gate,
  { projectId, reportedBy }: { projectId: string; reportedBy: string | null },
): Promise<AgentFacts> {
  const reporter = reportedBy === null ? null : await findAgent(db.read, projectId, reportedBy);
  if (reporter !== null && judgeAgent(reporter, gate).reason === null) {
    admitNamed(reporter, gate);
    return reporter;
  }
  const agents = await agentsOnlineWith(db.read, { projectId, engine: gate.engine });
  const chosen = agents.find((agent) => judgeAgent(agent, gate).reason === null);
  if (chosen === undefined) {
    const nearest = agents
      .map((agent) => judgeAgent(agent, gate).reason ?? "agent_offline")
      .reduce(nearer, "agent_offline");
    const none = agents.length === 0 && (await isAnyOnline(db.read, projectId)) ? "engine_not_advertised" : nearest;
    throw refused(gate, none);
  }
  admitNamed(chosen, gate);
  return chosen;
}

/** Agents of the project with a session that may be given such a command, those seen last first; with `among` those of them, in no promised order. */
export async function ableAgents(
  db: Reader,
  gate: Gate,
  { projectId, among }: { projectId: string; among?: readonly string[] },
): Promise<string[]> {
  const agents =
    among === undefined
      ? await agentsOnlineWith(db.read, { projectId, engine: gate.engine })
      : await findAgents(db.read, projectId, among);
  return agents.flatMap((agent) => {
    const verdict = judgeAgent(agent, gate);
    return verdict.reason === null && (gate.hasInputs || !verdict.resubmits) ? [agent.id] : [];
  });
}

/**
 * Why no session of the agent, or of any agent of the project when none is named, lists the action for the engine; null when one does, and
 * `overrides_required` when all that do can only submit again and the command brings no inputs.
 */
export async function whyNotAdvertised(
  db: Reader,
  gate: Gate,
  { projectId, agentId }: { projectId: string; agentId: string | null },
): Promise<RefusalReason | "overrides_required" | null> {
  const agents =
    agentId === null
      ? await agentsOnlineWith(db.read, { projectId, engine: gate.engine })
      : [await requireAgent(db, projectId, agentId)];
  const verdicts = agents.map((agent) => judgeAgent(agent, gate));
  const listing = verdicts.filter(({ reason }) => reason === null || reason === "retry_contract_missing");
  if (listing.some((verdict) => verdict.reason !== null || gate.hasInputs || !verdict.resubmits)) return null;
  if (listing.length > 0) return "overrides_required";
  if (agents.length === 0 && (await isAnyOnline(db.read, projectId))) return "engine_not_advertised";
  return verdicts.flatMap(({ reason }) => reason ?? []).reduce(nearer, "agent_offline");
}

function requireInputs(resubmits: boolean, { engine, hasInputs }: Gate): void {
  if (!resubmits || hasInputs) return;
  throw new ApiError(
    "conflict",
    { reason: "overrides_required", engine },
    { message: `${engine} retries by submitting again: give override_args and override_kwargs` },
  );
}

const words: Record<RefusalReason, string> = {
  agent_offline: "the agent has no session",
  engine_not_advertised: "the agent does not serve the engine",
  capability_missing: "the agent cannot do this for the engine",
  retry_contract_missing: "the agent does not keep the safe retry contract of the engine",
};

/** @param place of the engine in the request. */
export const refused = (
  { action, engine }: { readonly action: string; readonly engine: string },
  reason: RefusalReason,
  place: "body" | "query" = "body",
): ApiError =>
  new ApiError(
    "validation_error",
    { engine, capability: action, reason, errors: [{ loc: [place, "engine"], type: reason, message: words[reason] }] },
    { message: words[reason] },
  );
