import type { Log } from "../../platform/log.ts";
import type { Dispatch, FrameOutcome, FrameSource } from "./dispatch.ts";
import type { LongpollSession } from "./session-registry.ts";

/** The four values that every upload answer carries (spec part 1, upload accounting). */
export interface UploadAnswer {
  accepted: number;
  rejected: number;
  errors: string[];
  error_code: null | "scheduler_upgrade_required";
}

export type UploadResult = {
  readonly outcome: "done" | "invalidated" | "revoked";
  readonly answer: UploadAnswer;
  readonly signedFrames: number;
};

const maxErrors = 10;

export interface UploadDeps {
  readonly dispatch: Dispatch;
  readonly log: Log;
  verified(path: "fast" | "slow"): void;
}

/**
 * Judges the frames of one upload in order and hands the good ones on. Batches of events are stored together, so the answer waits for
 * all of them at the end. A frame with a bad signature or a replayed one rejects itself and everything after it.
 */
export async function acceptUpload(
  deps: UploadDeps,
  session: LongpollSession,
  source: FrameSource,
  frames: readonly string[],
): Promise<UploadResult> {
  const answer: UploadAnswer = { accepted: 0, rejected: 0, errors: [], error_code: null };
  const say = (text: string) => {
    if (answer.errors.length < maxErrors) answer.errors.push(text);
  };
  const storing: Promise<FrameOutcome>[] = [];
  let isInvalidated = false;
  let signedFrames = 0;

  for (const [index, text] of frames.entries()) {
    const opened = session.verifier.open(text);
    if (!opened.ok) {
      if (opened.reason === "signature") {
        isInvalidated = true;
        answer.rejected += frames.length - index;
        say(`frame ${index}: ${opened.message}`);
        break;
      }
      if (opened.reason === "skew") answer.rejected += 1;
      else answer.accepted += 1;
      say(`frame ${index}: ${opened.message}`);
      deps.log.warn("agent_transport.frame_dropped", { agent_id: source.identity.agent_id, reason: opened.reason });
      continue;
    }
    const verdict = session.guard.admit(opened.frame);
    if (verdict !== "ok") {
      isInvalidated = true;
      answer.rejected += frames.length - index;
      say(`frame ${index}: refused by the replay guard (${verdict})`);
      break;
    }
    deps.verified(opened.path);
    signedFrames += 1;
    storing.push(deps.dispatch(source, opened.frame, opened.text));
  }

  let isRevoked = false;
  for (const outcome of await Promise.all(storing)) {
    if (outcome.kind === "confirmed") {
      answer.accepted += 1;
      for (const text of outcome.batch?.errors ?? []) say(text);
    } else {
      answer.rejected += 1;
      if (outcome.kind === "revoked") isRevoked = true;
      else say(outcome.message);
    }
  }
  if (isRevoked) return { outcome: "revoked", answer, signedFrames };
  if (isInvalidated) return { outcome: "invalidated", answer, signedFrames };
  return { outcome: "done", answer, signedFrames };
}
