import {
  capabilityOfAction,
  type HelloPayload,
  isCommandAction,
  retryContractMarker,
  retryResubmitsMarker,
} from "@svc/protocol";

/**
 * Decides which session may carry out which command. A command that retries needs a session that honours the safe retry contract of its
 * engine (docs/concepts/commands.md): a WebSocket session reports that in its hello, a poll in a header. An adapter that can only resubmit
 * needs no contract, but the command must include the inputs of the task.
 */

/** Actions that need the safe retry contract. */
export const contractActions = ["retry_task", "bulk_retry"] as const;
const needsContract: ReadonlySet<string> = new Set(contractActions);

/** Capability tokens by engine, as one session reported them in its hello. */
export type Capabilities = Readonly<Record<string, readonly string[]>>;

/** What a hello reports about every engine and scheduler that it names. */
export const reportedCapabilities = ({
  engines,
  schedulers,
  capabilities,
}: Pick<HelloPayload, "engines" | "schedulers" | "capabilities">): Record<string, string[]> => ({
  ...Object.fromEntries([...engines, ...schedulers].map((name) => [name, []])),
  ...capabilities,
});

/** What one session reported about itself. */
export interface SessionReach {
  /** Engines whose safe retry contract the session honours. */
  readonly retryContracts: ReadonlySet<string>;
  /** Engines that it can only retry by resubmitting; absent for none. */
  readonly resubmits?: ReadonlySet<string>;
  /** Absent where they are unknown, as for polls. */
  readonly capabilities?: Capabilities;
}

/** How a WebSocket session is targeted. */
export function reachOf(capabilities: Capabilities): SessionReach {
  const listing = (marker: string) =>
    Object.keys(capabilities).filter((engine) => capabilities[engine]?.includes(marker));
  const resubmits = new Set(listing(retryResubmitsMarker));
  const keeping = listing(retryContractMarker).filter((engine) => !resubmits.has(engine));
  return { capabilities, retryContracts: new Set(keeping), resubmits };
}

/** What a command requires of a session. */
export interface CommandNeeds {
  readonly action: string;
  /** Null when the command names none. */
  readonly engine: string | null;
  /** The command includes the inputs of its task, so an adapter that can only resubmit may carry it out. */
  readonly hasInputs: boolean;
}

/** Why a session or an agent is not eligible for a command, from least to most eligible. */
const obstacles = [
  "agent_offline",
  "engine_not_advertised",
  "capability_missing",
  "retry_contract_missing",
  "overrides_required",
] as const;
export type Obstacle = (typeof obstacles)[number];

const nearer = (a: Obstacle, b: Obstacle): Obstacle => (obstacles.indexOf(a) > obstacles.indexOf(b) ? a : b);

/** Everything that one session lacks for the command, in the order of `obstacles`; empty when it is eligible. */
export function obstaclesOf(
  { capabilities, retryContracts, resubmits }: SessionReach,
  { action, engine, hasInputs }: CommandNeeds,
): readonly Obstacle[] {
  const found: Obstacle[] = [];
  if (capabilities !== undefined && isCommandAction(action)) {
    const isServed = engine === null || Object.hasOwn(capabilities, engine);
    const tokens = engine === null ? Object.values(capabilities).flat() : isServed ? capabilities[engine] : [];
    if (!isServed) found.push("engine_not_advertised");
    else if (tokens?.includes(capabilityOfAction[action]) !== true) found.push("capability_missing");
  }
  if (needsContract.has(action) && !(engine !== null && retryContracts.has(engine))) {
    if (engine === null || resubmits?.has(engine) !== true) found.push("retry_contract_missing");
    else if (!hasInputs) found.push("overrides_required");
  }
  return found;
}

/**
 * The obstacle of an agent: that of its nearest session, null when one session is eligible. When any session would resubmit, the command
 * must include the inputs, because any session may receive it.
 */
export function obstacleOf(sessions: readonly Capabilities[], needs: CommandNeeds): Obstacle | null {
  const found = sessions.map((session) => obstaclesOf(reachOf(session), needs)[0] ?? null);
  if (found.includes("overrides_required")) return "overrides_required";
  return found.includes(null) ? null : nearestOf(found);
}

/** The obstacle of the candidate nearest to being eligible. */
export const nearestOf = (found: readonly (Obstacle | null)[]): Obstacle =>
  found.filter((obstacle) => obstacle !== null).reduce(nearer, "agent_offline");

/** Whether a session may receive a command: `fallback` serves the engine without the capability and gets only what no other session can do. */
export type Fitness = "eligible" | "fallback" | "ineligible";

/** For a waiting command: whether it may retry one task without inputs was decided when it was issued, and the agent decides again. */
export function fitnessOf({ action, engine }: Omit<CommandNeeds, "hasInputs">, reach: SessionReach): Fitness {
  const found = obstaclesOf(reach, { action, engine, hasInputs: action === "retry_task" });
  if (found.length === 0) return "eligible";
  return found.every((obstacle) => obstacle === "capability_missing") ? "fallback" : "ineligible";
}
