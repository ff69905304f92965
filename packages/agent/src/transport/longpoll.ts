import {
  createSigner,
  headerNames,
  isJsonObject,
  isUuid,
  parseJson,
  randomNonce,
  type SessionIds,
  type Signer,
  wireLimits,
  wireTimes,
} from "@svc/protocol";
import type { BufferEntry } from "../buffer/entry.ts";
import { every, pause } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import { familyOfStatus, reconnectDelayMs } from "./backoff.ts";
import { retryHeaders } from "./hello.ts";
import { createHttpClient, type HttpAnswer, type HttpClient } from "./http.ts";
import {
  type Ending,
  envelopeBytes,
  Inbound,
  type RunSession,
  type SessionContext,
  type VitalFrame,
} from "./session.ts";

/** Maximum bytes of frames per upload, well below the brain's default limit (32 MiB). */
const uploadBytes = 4 * 1024 * 1024;
const pollFrames = 50;
/** Maximum number of brain processes that may answer under one nonce. */
const maxWorkers = 64;

/** One long-poll session: a new nonce, a probe, then uploads and polls until one of them ends the session. */
export const runLongPollSession: RunSession = async (context, signal) => {
  const stopper = new AbortController();
  const stop = (): void => stopper.abort();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  const client = createHttpClient(context.settings.endpoints.http.protocol === "https:", context.clock);
  const session = new LongPollSession(context, client, stopper);
  try {
    return await session.run();
  } catch (error) {
    return { family: "transient", reason: signal.aborted ? "stopped" : reasonOf(error) };
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
    client.close();
    context.drain.release();
  }
};

interface Upload {
  readonly entries: BufferEntry[];
  readonly frames: string[];
}

class LongPollSession {
  #context: SessionContext;
  #client: HttpClient;
  #stopper: AbortController;
  #headers: Record<string, string>;
  #session: SessionIds | undefined;
  #guards = new Map<string, Inbound>();
  #vitals: VitalFrame[] = [];
  #maxFrames: number = wireLimits.framesPerUpload;
  #resends = 0;
  #wake: (() => void) | undefined;

  constructor(context: SessionContext, client: HttpClient, stopper: AbortController) {
    const { settings } = context;
    this.#context = context;
    this.#client = client;
    this.#stopper = stopper;
    this.#headers = {
      authorization: `Bearer ${settings.token}`,
      [headerNames.sessionNonce]: randomNonce(),
    };
  }

  async run(): Promise<Ending> {
    const probe = await this.#get("wait=0&max_frames=0", wireTimes.pollSlackMs);
    if (probe.status !== 200) return endingOf(probe);
    const agentId = headerOf(probe, headerNames.agentId);
    const projectId = headerOf(probe, headerNames.projectId);
    if (!isUuid(agentId) || !isUuid(projectId)) {
      return { family: "protocol", reason: "the probe's response has no agent and project id" };
    }
    const session = { agentId, projectId, sessionId: this.#headers[headerNames.sessionNonce] ?? "" };
    try {
      this.#context.opened({ ...session, brainVersion: undefined });
    } catch (error) {
      return { family: "auth", reason: reasonOf(error) };
    }
    this.#session = session;

    const { clock, settings, onStored } = this.#context;
    const signer = createSigner({ secret: this.#context.secret, session, now: () => new Date(clock.nowMs()) });
    const cancels = [
      onStored(() => this.#wake?.()),
      every(clock, settings.heartbeatSeconds * 1000, () => void this.#beat()),
    ];
    void this.#beat();
    try {
      return await Promise.race([this.#uploadLoop(signer), this.#pollLoop()]);
    } finally {
      for (const cancel of cancels) cancel();
      this.#stopper.abort();
    }
  }

  async #uploadLoop(signer: Signer): Promise<Ending> {
    const { clock } = this.#context;
    const { signal } = this.#stopper;
    while (!signal.aborted) {
      const upload = this.#nextUpload(signer);
      if (upload === undefined) {
        await this.#somethingDue();
        continue;
      }
      const answer = await this.#client.request({
        method: "POST",
        url: this.#url("agent/events"),
        headers: { ...this.#headers, "content-type": "application/json" },
        body: JSON.stringify({ frames: upload.frames }),
        timeoutMs: wireTimes.uploadTimeoutMs,
        signal,
      });
      const ending = this.#judgeUpload(upload, answer);
      if (ending !== undefined) return ending;
      if (this.#resends > 0)
        await pause(clock, reconnectDelayMs("transient", this.#resends, this.#context.settings.random()), signal);
    }
    return { family: "transient", reason: "stopped" };
  }

  async #pollLoop(): Promise<Ending> {
    const { settings, receive, log } = this.#context;
    const wait = settings.pollWaitSeconds;
    while (!this.#stopper.signal.aborted) {
      const answer = await this.#get(`wait=${wait}&max_frames=${pollFrames}`, wait * 1000 + wireTimes.pollSlackMs);
      if (answer.status !== 200) return endingOf(answer);
      const frames = readFrames(answer.text);
      if (frames === undefined) return { family: "protocol", reason: "a poll's response has no frames" };
      const inbound = this.#inboundOf(answer);
      if (inbound === undefined) return { family: "transient", reason: "too many processes answer under one nonce" };
      for (const text of frames) {
        const judged = inbound.judge(text);
        if (judged.verdict === "fatal") return { family: "auth", reason: judged.reason };
        if (judged.verdict === "frame") receive(judged.frame);
      }
      if (frames.length > 0) log.debug("commands received", { count: frames.length });
    }
    return { family: "transient", reason: "stopped" };
  }

  /** Signed texts of the due entries. Undefined without any. */
  #nextUpload(signer: Signer): Upload | undefined {
    const { drain, dispatch } = this.#context;
    const limitBytes = dispatch.frameLimitBytes(wireLimits.frameBytes) - envelopeBytes;
    const vitals = this.#vitals.splice(0).slice(0, this.#maxFrames);
    const frames = vitals.map(({ type, id, payload }) => signer.sign(type, payload, id));
    const maxEntries = this.#maxFrames - frames.length;
    const entries: BufferEntry[] = [];
    for (const entry of maxEntries > 0 ? drain.take({ maxEntries, maxBytes: uploadBytes }) : []) {
      if (entry.sizeBytes > limitBytes) {
        dispatch.tooLarge(entry);
        continue;
      }
      entries.push(entry);
      frames.push(signer.signText(entry.type, entry.payload, entry.frameId));
    }
    return frames.length === 0 ? undefined : { entries, frames };
  }

  #judgeUpload({ entries, frames }: Upload, answer: HttpAnswer): Ending | undefined {
    const { drain, dispatch, flushed, log } = this.#context;
    if (answer.status === 413 || answer.status === 422) {
      this.#maxFrames = Math.max(1, Math.ceil(frames.length / 2));
      const [only] = entries;
      if (frames.length === 1 && only !== undefined) {
        log.error("dropped a frame that the brain refused", {
          status: answer.status,
          records: only.records,
        });
        dispatch.refused(only);
      } else {
        drain.releaseSome(entries);
      }
      return undefined;
    }
    if (answer.status !== 200) return endingOf(answer);

    const { accepted, errors, errorCode } = readAccounting(answer.text);
    if (errors.length > 0) log.warn("the brain reported errors in an upload", { errors });
    if (accepted === frames.length) {
      for (const entry of entries) drain.confirm(entry);
      if (entries.some(({ type }) => type === "event_batch")) flushed();
      this.#resends = 0;
      this.#maxFrames = Math.min(this.#maxFrames * 2, wireLimits.framesPerUpload);
      return undefined;
    }
    if (errorCode === "scheduler_upgrade_required") dispatch.upgradeRequired();
    drain.releaseSome(entries);
    this.#resends += 1;
    return undefined;
  }

  async #beat(): Promise<void> {
    try {
      this.#vitals = await this.#context.vitals(wireLimits.frameBytes - envelopeBytes);
      this.#wake?.();
    } catch (error) {
      this.#context.log.error("could not create a heartbeat", { reason: reasonOf(error) });
    }
  }

  #somethingDue(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        this.#stopper.signal.removeEventListener("abort", done);
        resolve();
      };
      this.#wake = done;
      this.#stopper.signal.addEventListener("abort", done);
      if (this.#stopper.signal.aborted || this.#vitals.length > 0) done();
    });
  }

  #get(query: string, timeoutMs: number): Promise<HttpAnswer> {
    return this.#client.request({
      method: "GET",
      url: this.#url(`agent/commands?${query}`),
      headers: { ...this.#headers, ...retryHeaders(this.#context.settings.engines) },
      timeoutMs,
      signal: this.#stopper.signal,
    });
  }

  #url(path: string): URL {
    return new URL(`${this.#context.settings.endpoints.http.href}/${path}`);
  }

  /** The guard for a brain process. Each process numbers its own frames. */
  #inboundOf(answer: HttpAnswer): Inbound | undefined {
    const worker = headerOf(answer, headerNames.longPollWorker);
    const known = this.#guards.get(worker);
    if (known !== undefined) return known;
    if (this.#guards.size >= maxWorkers || this.#session === undefined) return undefined;
    const inbound = new Inbound(this.#session, this.#context);
    this.#guards.set(worker, inbound);
    return inbound;
  }
}

function endingOf(answer: HttpAnswer): Ending {
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const reason = isRedirect
    ? "the brain answered with a redirect, which the agent does not follow"
    : `status ${answer.status}`;
  return { family: familyOfStatus(answer.status), reason, code: answer.status };
}

function headerOf(answer: HttpAnswer, name: string): string {
  const value = answer.headers[name];
  return typeof value === "string" ? value : "";
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readFrames(text: string): string[] | undefined {
  const frames = readObject(text)?.frames;
  return Array.isArray(frames) && frames.every((frame) => typeof frame === "string") ? frames : undefined;
}

function readAccounting(text: string): { accepted: number; errors: string[]; errorCode: string | undefined } {
  const answer = readObject(text) ?? {};
  const { accepted, errors, error_code: errorCode } = answer;
  return {
    accepted: typeof accepted === "number" ? accepted : -1,
    errors: Array.isArray(errors) ? errors.filter((error) => typeof error === "string").slice(0, 10) : [],
    errorCode: typeof errorCode === "string" ? errorCode : undefined,
  };
}
