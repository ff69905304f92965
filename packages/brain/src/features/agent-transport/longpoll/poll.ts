import type { Clock } from "../../../platform/clock.ts";
import type { AdmissionStatus, AgentIdentity, SessionReach } from "../../agents/index.ts";
import type { ClaimedCommand } from "../../commands/index.ts";
import type { LongpollSession } from "./session-registry.ts";

export interface PollDeps {
  readonly clock: Clock;
  /** Claims at most `max` commands for the agent, in issued_at order; empty when nothing is deliverable. */
  claim(identity: AgentIdentity, max: number, reach: SessionReach): Promise<readonly ClaimedCommand[]>;
  /** A claimed command could not be signed and has failed. */
  unsigned(command: ClaimedCommand): Promise<void>;
  /**
   * Resolves when something may be deliverable to this poll (a signal, or the shared re-check every 250 ms found an eligible row), when the
   * agent was revoked, or when the wait is over.
   */
  waitForWork(request: PollRequest, waitMs: number): Promise<"work" | "revoked" | "over">;
  /** An admitted agent polled for commands; must not throw. */
  polled(identity: AgentIdentity, at: Date): Promise<void>;
  /** Whether the agent may still act; checked before every pass. */
  admissionStatus(identity: AgentIdentity): Promise<AdmissionStatus>;
}

export interface PollRequest {
  readonly identity: AgentIdentity;
  readonly waitSeconds: number;
  readonly maxFrames: number;
  readonly reach: SessionReach;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** How a poll ends without frames to return. */
export type PollEnd = Exclude<AdmissionStatus, "admitted"> | "invalidated";

/** Polls for commands until one is found or the wait is over. An early end is reported only when nothing was claimed. */
export async function pollCommands(
  deps: PollDeps,
  session: LongpollSession,
  request: PollRequest,
): Promise<{ frames: string[] } | PollEnd> {
  const { identity, maxFrames } = request;
  const endMs = deps.clock.monotonicMs() + request.waitSeconds * 1000;
  for (let pass = 0; ; pass += 1) {
    const admissionStatus = await deps.admissionStatus(identity);
    if (admissionStatus !== "admitted") return admissionStatus;
    if (pass === 0) await deps.polled(identity, deps.clock.now());
    if (session.ended() !== null) return "invalidated";
    // Commands claimed for a disconnected client would wait for their timeout.
    if (request.signal.aborted) return { frames: [] };
    const leftMs = endMs - deps.clock.monotonicMs();
    // The wait starts before the claim, so that no notification of a commit between the two is lost.
    const done = new AbortController();
    const waiting =
      leftMs <= 0
        ? null
        : deps.waitForWork({ ...request, signal: AbortSignal.any([request.signal, done.signal]) }, leftMs);
    let frames: string[];
    try {
      frames = maxFrames === 0 ? [] : await sign(await deps.claim(identity, maxFrames, request.reach));
    } catch (error) {
      done.abort();
      throw error;
    }
    if (frames.length > 0 || waiting === null) {
      done.abort();
      return { frames };
    }
    const woken = await waiting;
    if (woken === "revoked") return "revoked";
    if (woken === "over") return { frames: [] };
  }

  async function sign(claimed: readonly ClaimedCommand[]): Promise<string[]> {
    const frames: string[] = [];
    for (const command of claimed) {
      let frame: string | null = null;
      try {
        frame = session.signer.sign("command", command.payload, command.id);
      } catch {
        await deps.unsigned(command);
      }
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }
}

const contractForm = /^([A-Za-z0-9_.-]{1,40})=1$/;

/** Engines of X-SVC-Retry-Contracts or X-SVC-Retry-Resubmits; one malformed part, or more than 64, empties the set. */
export function readRetryEngines(header: string | undefined): ReadonlySet<string> {
  const engines = new Set<string>();
  if (header === undefined || header.trim() === "") return engines;
  const parts = header.split(",");
  if (parts.length > 64) return engines;
  for (const part of parts) {
    const engine = contractForm.exec(part.trim())?.[1];
    if (engine === undefined) return new Set();
    engines.add(engine);
  }
  return engines;
}

/** Names of X-SVC-Runtime-Features: at most 64 of at most 64 characters. */
export const readRuntimeFeatures = (header: string | undefined): string[] =>
  (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name.length <= 64)
    .slice(0, 64);
