import { type HelloPayload, readInstant } from "@svc/protocol";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { hours } from "../../../platform/durations.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { Core } from "../../../schema/tables/index.ts";
import { reportedCapabilities } from "../capabilities/verdict.ts";
import type { AgentIdentity } from "../reads.ts";
import type { Heartbeats } from "./heartbeats.ts";
import {
  hasContactSince,
  hasSilent,
  lockAgent,
  markConnected,
  markOffline,
  markPolled,
  markProbed,
  markProcessOffline,
  markSilent,
  upsertProcess,
} from "./presence-store.ts";

export interface PresenceDeps extends Core {
  readonly heartbeats: Pick<Heartbeats, "admitted" | "seen" | "drop">;
  readonly offlineTimeoutMs: number;
  /** Agents whose public row changed. */
  readonly onChanged: (projectId: string, agentIds: string[]) => void;
  /** An agent of the project connected. */
  readonly onArrived: (projectId: string) => void;
}

const pollNotedMs = hours(1);

/** Moves agents and their processes between online and offline: on hello and upload, on disconnect, and after long silence. */
export class Presence {
  readonly #deps: PresenceDeps;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  /** Stores a hello and brings the agent online; false when it is revoked. */
  async connected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<boolean> {
    const { name } = hello.host;
    const facts = {
      transport: "ws",
      protocol_version: hello.protocol_version,
      agent_version: hello.agent_version,
      framework_adapter: hello.framework,
      host_name: typeof name === "string" && name !== "" ? cleanText(name).slice(0, 200) : null,
      engine_adapters: storedJson(hello.engines),
      scheduler_adapters: storedJson(hello.schedulers),
      capabilities: storedJson(hello.capabilities),
      runtime_features: storedJson(hello.runtime_features),
      metadata: storedJson({ host: hello.host }),
    };
    const isAlive = await this.#deps.database.write((tx) => markConnected(tx, identity.agent_id, facts, at));
    if (isAlive) {
      this.#deps.heartbeats.admitted(identity.agent_id);
      this.#deps.onChanged(identity.project_id, [identity.agent_id]);
    }
    return isAlive;
  }

  /** Writes the row of the connected process. */
  async workerConnected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<void> {
    const startedMs = readInstant(hello.worker_started_at, { zone: "utc" });
    await this.#deps.database.write((tx) =>
      upsertProcess(tx, {
        id: uuidV7(this.#deps.clock),
        agent_id: identity.agent_id,
        project_id: identity.project_id,
        worker_id: hello.worker_id,
        role: hello.worker_role,
        framework: hello.framework,
        pid: hello.worker_pid,
        started_at: startedMs === null ? null : new Date(startedMs),
        state: "online",
        capabilities: storedJson(reportedCapabilities(hello)),
        last_seen_at: at,
        last_connect_at: at,
        created_at: at,
        updated_at: at,
      }),
    );
    this.#deps.onArrived(identity.project_id);
  }

  /** A connection made at `connectedAt` closed; `isLast` when it was the agent's last one in this process. */
  async disconnected(
    identity: AgentIdentity,
    workerId: string | null,
    connectedAt: Date,
    isLast: boolean,
  ): Promise<void> {
    await this.#deps.heartbeats.drop(identity.agent_id, workerId, isLast);
    const ended = { agentId: identity.agent_id, workerId, connectedAt, now: this.#deps.clock.now() };
    const wentOffline = await this.#deps.database.write(async (tx) => {
      // Agents before processes: the lock order of markSeen. When two brains each lose a connection of the agent, the second one then sees
      // what the first one wrote.
      if (isLast) await lockAgent(tx, identity.agent_id);
      await markProcessOffline(tx, ended);
      return isLast && markOffline(tx, ended);
    });
    if (wentOffline) this.#deps.onChanged(identity.project_id, [identity.agent_id]);
  }

  /** A verified, signed long-poll upload arrived. */
  async uploaded(identity: AgentIdentity, at: Date): Promise<void> {
    this.#deps.heartbeats.seen(identity, undefined, at);
  }

  /** A long-poll connect probe reported the agent's runtime features. */
  async probed(identity: AgentIdentity, features: readonly string[], at: Date): Promise<void> {
    await this.#deps.database.write((tx) => markProbed(tx, identity.agent_id, storedJson(features), at));
    this.#deps.heartbeats.admitted(identity.agent_id);
    this.#deps.onChanged(identity.project_id, [identity.agent_id]);
  }

  /** The agent polled for commands: contact, recorded once an hour, that does not bring it online. */
  async polled(identity: AgentIdentity, at: Date): Promise<void> {
    const notedSince = new Date(at.getTime() - pollNotedMs);
    if (await hasContactSince(this.#deps.database.read, identity.agent_id, notedSince)) return;
    await this.#deps.database.write((tx) => markPolled(tx, identity.agent_id, at));
    this.#deps.onChanged(identity.project_id, [identity.agent_id]);
  }

  /** Marks agents and processes offline that have been silent for the offline timeout; returns the number of agents. */
  async sweepOffline(): Promise<number> {
    const now = this.#deps.clock.now();
    const cutoff = new Date(now.getTime() - this.#deps.offlineTimeoutMs);
    if (!(await hasSilent(this.#deps.database.read, cutoff))) return 0;
    const offline = await this.#deps.database.write((tx) => markSilent(tx, cutoff, now), { alone: true });
    for (const [projectId, agents] of Map.groupBy(offline, ({ project_id }) => project_id)) {
      this.#deps.onChanged(
        projectId,
        agents.map(({ id }) => id),
      );
    }
    return offline.length;
  }
}

const cleanText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");
