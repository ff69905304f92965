import { brainErrorCodes } from "@svc/protocol";
import type { AgentLogs } from "../agent-logs.ts";
import type { Dispatch, FrameOutcome, FrameSource } from "../dispatch.ts";
import type { UploadAnswer } from "../schemas.ts";
import type { LongpollSession } from "./session-registry.ts";

export type UploadResult = {
  readonly outcome: "done" | "invalidated" | "revoked";
  readonly answer: UploadAnswer;
  readonly signedFrames: number;
};

const maxErrors = 10;

export interface UploadDeps {
  readonly dispatch: Dispatch;
  readonly agentLogs: AgentLogs;
  /** Null while the ingest queue has capacity; when it is full, resolves before more frames are read. */
  whenIngestHasCapacity(): Promise<void> | null;
  verified(path: "fast" | "slow"): void;
}

export interface UploadSource extends FrameSource {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Judges the frames of one upload in order and passes on the accepted ones. Batches of events are stored together, so the answer waits for
 * all of them at the end. A frame with a bad signature, a replayed one and one of a revoked agent reject themselves and everything after
 * them.
 */
export async function acceptUpload(
  deps: UploadDeps,
  session: LongpollSession,
  source: UploadSource,
  frames: readonly string[],
): Promise<UploadResult> {
  const answer: UploadAnswer = { accepted: 0, rejected: 0, errors: [], error_code: null };
  const say = (text: string) => {
    if (answer.errors.length < maxErrors) answer.errors.push(text);
  };
  const storing: Promise<FrameOutcome>[] = [];
  const agentId = source.identity.agent_id;
  let isInvalidated = false;
  let signedFrames = 0;

  for (const [index, text] of frames.entries()) {
    const capacity = deps.whenIngestHasCapacity();
    if (capacity !== null) {
      await capacity;
      // The client has disconnected and resends the rest. Its timestamps may be stale by now, and judging them would end the agent's sessions.
      if (source.signal.aborted) {
        answer.rejected += frames.length - index;
        break;
      }
    }
    const opened = session.verifier.open(text);
    if (!opened.ok) {
      if (opened.reason === "signature") {
        isInvalidated = true;
        answer.rejected += frames.length - index;
        say(`frame ${index}: ${opened.message}`);
        deps.agentLogs.signatureFailed(agentId, { type: opened.frameType });
        break;
      }
      if (opened.reason === "skew") answer.rejected += 1;
      else answer.accepted += 1;
      say(`frame ${index}: ${opened.message}`);
      deps.agentLogs.frameDropped(agentId, { reason: opened.reason });
      continue;
    }
    const verdict = session.guard.admit(opened.frame);
    if (verdict !== "ok") {
      isInvalidated = true;
      answer.rejected += frames.length - index;
      say(`frame ${index}: refused by the replay guard (${verdict})`);
      deps.agentLogs.replayRefused(agentId, { verdict });
      break;
    }
    deps.verified(opened.path);
    signedFrames += 1;
    const outcome = deps.dispatch(source, opened.frame, opened.text);
    storing.push(outcome);
    // Only a heartbeat checks whether the agent is revoked.
    if (opened.frame.type === "heartbeat" && (await outcome).kind === "revoked") {
      answer.rejected += frames.length - index - 1;
      break;
    }
  }

  let isRevoked = false;
  for (const outcome of await Promise.all(storing)) {
    if (outcome.kind === "confirmed") {
      answer.accepted += 1;
      for (const text of outcome.batch?.errors ?? []) say(text);
    } else {
      answer.rejected += 1;
      if (outcome.kind === "upgrade_required") answer.error_code = brainErrorCodes.schedulerUpgradeRequired;
      if (outcome.kind === "revoked") isRevoked = true;
      else say(outcome.message);
    }
  }
  if (isRevoked) return { outcome: "revoked", answer, signedFrames };
  if (isInvalidated) return { outcome: "invalidated", answer, signedFrames };
  return { outcome: "done", answer, signedFrames };
}
