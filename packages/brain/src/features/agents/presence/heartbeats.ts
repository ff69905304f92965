import { readAgentStatus } from "@svc/protocol";
import { chunks } from "../../../platform/chunks.ts";
import { WriteBehind } from "../../../platform/coalescing/write-behind.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import type { BrainDatabase, Tables } from "../../../schema/tables/index.ts";
import type { AgentIdentity } from "../reads.ts";
import { findProcesses, markProcessesSeen, markSeen } from "./presence-store.ts";
import { insertSamples, trimSamples } from "./samples-store.ts";

export interface HeartbeatsDeps {
  readonly database: Pick<BrainDatabase, "write">;
  /** Newest samples kept per agent; 0 keeps all. */
  readonly samplesPerAgent: number;
  /** Agents of a project that came online by being seen. */
  readonly onReturned: (projectId: string, agentIds: string[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Contact waits this long for more of it; and as long a round is over before the next one begins, whoever speaks meanwhile. */
const gatherMs = 250;
const chunkRows = 200;
const maxWaitingSamples = 10_000;
const maxGone = 10_000;
/** A project may be restored: what is known of a gone agent is asked again after this. */
const askAgainMs = 30_000;

/** Longest sample in bytes that is stored as it came. */
const sampleBytes = 65_536;

interface Contact {
  readonly agentId: string;
  readonly projectId: string;
  at: Date;
  /** Whether it brings the agent online. */
  isSign: boolean;
  /** worker_ids seen; null for processes without one. */
  processes: Set<string | null>;
}

interface Sample {
  project_id: string;
  agent_id: string;
  captured_at: Date;
  payload: string;
  done: (error?: unknown) => void;
}

/**
 * Gathers heartbeats and samples of all agents and writes them together: a fleet of a thousand then costs a few small transactions per
 * second instead of one per frame.
 */
export class Heartbeats {
  readonly #deps: HeartbeatsDeps;
  readonly #contacts: WriteBehind<Contact>;
  readonly #samples: WriteBehind<Sample, number>;
  #lastSample = 0;
  // Trimming reads the index up to the cap, so it is done once per hundredth of it.
  readonly #trimEvery: number;
  readonly #sinceTrim = new Map<string, number>();
  // Agents that still talked when they were revoked or their project archived, so that their transport hears of it.
  readonly #gone = new Map<string, { readonly at: Date; readonly projectId: string }>();

  constructor(deps: HeartbeatsDeps) {
    this.#deps = deps;
    this.#trimEvery = Math.max(1, Math.min(100, Math.floor(deps.samplesPerAgent / 100)));
    this.#contacts = new WriteBehind({
      everyMs: gatherMs,
      maxKeys: Number.POSITIVE_INFINITY,
      maxNotes: chunkRows,
      write: (contacts) => this.#writeContacts(contacts),
      // Contact comes again with the next heartbeat, so it is not kept.
      onError: deps.onError,
    });
    this.#samples = new WriteBehind({
      everyMs: gatherMs,
      startsAtOnce: true,
      maxKeys: maxWaitingSamples,
      maxNotes: chunkRows,
      write: (samples) => this.#writeSamples(samples),
      onError(error, samples) {
        for (const { done } of samples) done(error);
      },
    });
  }

  /** Notes contact, to be written within a quarter of a second; false when the agent is known to be revoked or its project archived. */
  seen(identity: AgentIdentity, workerId: string | null | undefined, at: Date): boolean {
    const known = this.#gone.get(identity.agent_id);
    if (known !== undefined && at.getTime() - known.at.getTime() < askAgainMs) return false;
    this.#gone.delete(identity.agent_id);
    const contact = this.#noteContact(identity, at);
    if (contact === undefined) return true;
    contact.isSign = true;
    if (workerId !== undefined) contact.processes.add(workerId);
    return true;
  }

  /** Notes contact of an agent that is online; unlike a heartbeat it brings nobody back. */
  touched(identity: AgentIdentity, at: Date): void {
    this.#noteContact(identity, at);
  }

  /** The agent was let in: forgets that it was known to be gone. */
  admitted(agentId: string): void {
    this.#gone.delete(agentId);
  }

  /** The project was restored: its agents may no longer be known to be gone. */
  forgetProject(projectId: string): void {
    for (const [agentId, known] of this.#gone) if (known.projectId === projectId) this.#gone.delete(agentId);
  }

  /** Stores a status sample; resolves when it is durable. */
  recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lastSample += 1;
    const sample = this.#samples.noteOf(this.#lastSample, () => ({
      project_id: identity.project_id,
      agent_id: identity.agent_id,
      captured_at: capturedAt,
      payload: samplePayload(payload),
      done: (error) => (error === undefined ? resolve() : reject(error)),
    }));
    if (sample === undefined) reject(new Error("too many status samples are waiting"));
    return promise;
  }

  /** Drops noted contact of an ended connection, so that it cannot bring anyone back online. */
  async drop(agentId: string, workerId: string | null, isLast: boolean): Promise<void> {
    if (isLast) this.#contacts.delete(agentId);
    else this.#contacts.get(agentId)?.processes.delete(workerId);
    await this.#contacts.settled();
  }

  /** Writes what is noted now. */
  async flush(): Promise<void> {
    await Promise.all([this.#samples.flush(), this.#contacts.flush()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#samples.stop(), this.#contacts.stop()]);
  }

  #noteContact({ agent_id: agentId, project_id: projectId }: AgentIdentity, at: Date): Contact | undefined {
    const fresh = () => ({ agentId, projectId, at, isSign: false, processes: new Set<string | null>() });
    const contact = this.#contacts.noteOf(agentId, fresh);
    if (contact !== undefined && at > contact.at) contact.at = at;
    return contact;
  }

  async #writeContacts(entries: readonly Contact[]): Promise<void> {
    const ids = entries.map(({ agentId }) => agentId);
    const at = new Date(Math.max(...entries.map((contact) => contact.at.getTime())));
    const processes = entries.flatMap((contact) =>
      [...contact.processes].map((workerId) => ({ agentId: contact.agentId, workerId })),
    );
    const mark = async (tx: Tx<Tables>) => {
      const signs = new Set(entries.filter(({ isSign }) => isSign).map(({ agentId }) => agentId));
      const seen = await markSeen(tx, { ids, signs, at });
      const present = processes.filter(({ agentId }) => seen.alive.has(agentId));
      const processIds: string[] = [];
      for (const some of chunks(present, chunkRows)) processIds.push(...(await findProcesses(tx, some)));
      for (const some of chunks(processIds.sort(), chunkRows)) await markProcessesSeen(tx, some, at);
      return seen;
    };
    // Alone: beside the locks of other work, the order of its own would not keep it out of deadlocks.
    const { returned, alive } = await this.#deps.database.write(mark, { alone: true });
    for (const { agentId, projectId } of entries) if (!alive.has(agentId)) this.#noteGone(agentId, projectId, at);
    for (const [projectId, agents] of Map.groupBy(returned, ({ project_id }) => project_id)) {
      this.#deps.onReturned(
        projectId,
        agents.map(({ id }) => id),
      );
    }
  }

  #noteGone(id: string, projectId: string, at: Date): void {
    if (this.#gone.size >= maxGone) this.#gone.clear();
    this.#gone.set(id, { at, projectId });
  }

  async #writeSamples(batch: readonly Sample[]): Promise<void> {
    const due = this.#dueForTrim(batch);
    await this.#deps.database.write(async (tx) => {
      await insertSamples(
        tx,
        batch.map(({ done, ...row }) => row),
      );
      // In one order, so that two processes that trim the same agents do not wait for each other.
      for (const agentId of [...due].sort()) await trimSamples(tx, agentId, this.#deps.samplesPerAgent);
    });
    for (const { done } of batch) done();
  }

  #dueForTrim(batch: readonly Sample[]): Set<string> {
    const due = new Set<string>();
    if (this.#deps.samplesPerAgent === 0) return due;
    for (const { agent_id } of batch) {
      const count = (this.#sinceTrim.get(agent_id) ?? 0) + 1;
      this.#sinceTrim.delete(agent_id);
      if (count >= this.#trimEvery) due.add(agent_id);
      else this.#sinceTrim.set(agent_id, count);
    }
    for (const agentId of this.#sinceTrim.keys()) {
      if (this.#sinceTrim.size <= maxWaitingSamples) break;
      this.#sinceTrim.delete(agentId);
    }
    return due;
  }
}

/** A sample as it is stored; of one that is too long only the counters that we know. */
function samplePayload(payload: Record<string, unknown>): string {
  const whole = storedJson(payload);
  if (Buffer.byteLength(whole) <= sampleBytes) return whole;
  const { telemetry_loss: loss, ...rest } = readAgentStatus(payload);
  return storedJson({ ...numbersOf(rest), ...(loss !== undefined && { telemetry_loss: numbersOf(loss) }) });
}

const numbersOf = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === "number"));
