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
  /** Agents of a project that are online again because they were seen. */
  readonly onReturned: (projectId: string, agentIds: string[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Delay before contacts are written, so that several are written together; also the minimum pause between two writes. */
const gatherMs = 250;
const chunkRows = 200;
const maxWaitingSamples = 10_000;
const maxInactive = 10_000;
/** A project may be restored, so an inactive agent is checked again after this. */
const recheckMs = 30_000;

/** Longest sample in bytes that is stored unchanged. */
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
 * Writes heartbeats and samples of all agents in batches: a fleet of a thousand costs a few small transactions per second instead of one
 * per frame.
 */
export class Heartbeats {
  readonly #deps: HeartbeatsDeps;
  readonly #contacts: WriteBehind<Contact>;
  readonly #samples: WriteBehind<Sample, number>;
  #lastSample = 0;
  // Trimming reads the index up to the cap, so it runs only once per hundredth of the cap.
  readonly #trimEvery: number;
  readonly #sinceTrim = new Map<string, number>();
  // Agents that still sent frames after they were revoked or their project archived, so that their transport can close.
  readonly #inactive = new Map<string, { readonly at: Date; readonly projectId: string }>();

  constructor(deps: HeartbeatsDeps) {
    this.#deps = deps;
    this.#trimEvery = Math.max(1, Math.min(100, Math.floor(deps.samplesPerAgent / 100)));
    this.#contacts = new WriteBehind({
      everyMs: gatherMs,
      maxKeys: Number.POSITIVE_INFINITY,
      maxNotes: chunkRows,
      write: (contacts) => this.#writeContacts(contacts),
      // Contact is reported again by the next heartbeat, so a failed write is dropped.
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

  /** Records contact, written within 250 ms; false when the agent is known to be revoked or its project archived. */
  seen(identity: AgentIdentity, workerId: string | null | undefined, at: Date): boolean {
    const known = this.#inactive.get(identity.agent_id);
    if (known !== undefined && at.getTime() - known.at.getTime() < recheckMs) return false;
    this.#inactive.delete(identity.agent_id);
    const contact = this.#noteContact(identity, at);
    if (contact === undefined) return true;
    contact.isSign = true;
    if (workerId !== undefined) contact.processes.add(workerId);
    return true;
  }

  /** Records contact of an online agent; unlike a heartbeat it brings no agent online. */
  touched(identity: AgentIdentity, at: Date): void {
    this.#noteContact(identity, at);
  }

  /** The agent was admitted: it is no longer inactive. */
  admitted(agentId: string): void {
    this.#inactive.delete(agentId);
  }

  /** The project was restored: its agents may be active again. */
  forgetProject(projectId: string): void {
    for (const [agentId, known] of this.#inactive) if (known.projectId === projectId) this.#inactive.delete(agentId);
  }

  /** Stores a status sample; resolves when it is durable. */
  recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lastSample += 1;
    const sample = this.#samples.getOrCreate(this.#lastSample, () => ({
      project_id: identity.project_id,
      agent_id: identity.agent_id,
      captured_at: capturedAt,
      payload: samplePayload(payload),
      done: (error) => (error === undefined ? resolve() : reject(error)),
    }));
    if (sample === undefined) reject(new Error("too many status samples are waiting"));
    return promise;
  }

  /** Drops pending contact of a closed connection, so that it cannot bring an agent back online. */
  async drop(agentId: string, workerId: string | null, isLast: boolean): Promise<void> {
    if (isLast) this.#contacts.delete(agentId);
    else this.#contacts.get(agentId)?.processes.delete(workerId);
    await this.#contacts.settled();
  }

  /** Writes what is pending now. */
  async flush(): Promise<void> {
    await Promise.all([this.#samples.flush(), this.#contacts.flush()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#samples.stop(), this.#contacts.stop()]);
  }

  #noteContact({ agent_id: agentId, project_id: projectId }: AgentIdentity, at: Date): Contact | undefined {
    const fresh = () => ({ agentId, projectId, at, isSign: false, processes: new Set<string | null>() });
    const contact = this.#contacts.getOrCreate(agentId, fresh);
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
    // In its own transaction: its lock order prevents deadlocks only when no other work holds locks.
    const { returned, alive } = await this.#deps.database.write(mark, { alone: true });
    for (const { agentId, projectId } of entries) if (!alive.has(agentId)) this.#noteInactive(agentId, projectId, at);
    for (const [projectId, agents] of Map.groupBy(returned, ({ project_id }) => project_id)) {
      this.#deps.onReturned(
        projectId,
        agents.map(({ id }) => id),
      );
    }
  }

  #noteInactive(id: string, projectId: string, at: Date): void {
    if (this.#inactive.size >= maxInactive) this.#inactive.clear();
    this.#inactive.set(id, { at, projectId });
  }

  async #writeSamples(batch: readonly Sample[]): Promise<void> {
    const due = this.#dueForTrim(batch);
    await this.#deps.database.write(async (tx) => {
      await insertSamples(
        tx,
        batch.map(({ done, ...row }) => row),
      );
      // In a fixed order, so that two processes that trim the same agents do not deadlock.
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

/** The stored form of a sample; one that is too long keeps only the known counters. */
function samplePayload(payload: Record<string, unknown>): string {
  const whole = storedJson(payload);
  if (Buffer.byteLength(whole) <= sampleBytes) return whole;
  const { telemetry_loss: loss, ...rest } = readAgentStatus(payload);
  return storedJson({ ...numbersOf(rest), ...(loss !== undefined && { telemetry_loss: numbersOf(loss) }) });
}

const numbersOf = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === "number"));
