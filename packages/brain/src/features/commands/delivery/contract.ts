import { capabilityOfAction, isCommandAction, retryContractMarker, retryResubmitsMarker } from "@svc/protocol";

/**
 * Which session may be given which command. One that retries goes only to a session that honours the safe retry contract of the
 * command's engine (spec part 3, section 4.2 rule 3): a WebSocket tells that in the hello, a poll in a header. An adapter that can only
 * submit again needs no contract for retries of one task, which bring their inputs: others are refused when they are issued, and by the
 * agent. Those of several tasks have the inputs that the engine kept.
 */

/** Actions that need the contract. */
export const contractActions = ["retry_task", "bulk_retry"] as const;

/** How the idempotency keys of commands for children of durable bulk retries begin; no others do. */
export const childKeyPrefix = "bulk:";

const needsContract: ReadonlySet<string> = new Set(contractActions);

/** Capability tokens by engine, as one session told in its hello. */
export type Abilities = Readonly<Record<string, readonly string[]>>;

/** What a session may be given. */
export interface SessionReach {
  /** Engines whose safe retry contract the session honours. */
  readonly retryContracts: ReadonlySet<string>;
  /** Engines that it retries only by submitting again; absent for none. */
  readonly resubmits?: ReadonlySet<string>;
  /** Absent where nobody knows, as for polls. */
  readonly abilities?: Abilities;
}

/** The reach of a WebSocket session. */
export function reachOf(abilities: Abilities): SessionReach {
  const listing = (marker: string) => Object.keys(abilities).filter((engine) => abilities[engine]?.includes(marker));
  const resubmits = new Set(listing(retryResubmitsMarker));
  const keeping = listing(retryContractMarker).filter((engine) => !resubmits.has(engine));
  return { abilities, retryContracts: new Set(keeping), resubmits };
}

interface CommandKind {
  readonly action: string;
  readonly engine: string | null;
}

/** `willing`: it serves the engine but says that it cannot do this, so it only gets what no session can do, and tells why it fails. */
export type Fitness = "able" | "willing" | "barred";

export function fitnessOf({ action, engine }: CommandKind, reach: SessionReach): Fitness {
  if (needsContract.has(action) && !mayRetry(action, engine, reach)) return "barred";
  const { abilities } = reach;
  if (abilities === undefined || !isCommandAction(action)) return "able";
  if (engine !== null && !Object.hasOwn(abilities, engine)) return "barred";
  const tokens = engine === null ? Object.values(abilities).flat() : (abilities[engine] ?? []);
  return tokens.includes(capabilityOfAction[action]) ? "able" : "willing";
}

const mayRetry = (action: string, engine: string | null, { retryContracts, resubmits }: SessionReach): boolean =>
  engine !== null && (retryContracts.has(engine) || (action === "retry_task" && resubmits?.has(engine) === true));

/** Whether a session may be given such a command, unless another one is fitter. */
export const mayBeGiven = (kind: CommandKind, reach: SessionReach): boolean => fitnessOf(kind, reach) !== "barred";
