import { closeCodes } from "@svc/protocol";
import type { ClaimedCommand } from "../../commands/index.ts";

/** What became of a command that was to be sent: `failed` says nothing of whether the agent got it. */
export type Sending = "sent" | "failed" | "unsigned";

/** One live WebSocket of an agent, as others may use it. */
export interface AgentConnection {
  readonly agentId: string;
  readonly projectId: string;
  /** Null for an agent that names no worker: one connection of its own. */
  readonly workerId: string | null;
  readonly connectedAt: Date;
  /** Engines and their capability tokens, as this connection's hello told; one that it only named has none. */
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  /** Whether a command may be sent: the socket is open, and its agent reads. */
  canTake(): boolean;
  /** Signs and sends a command; resolves when it has left, or failed to within 5 s. Never rejects. */
  deliver(command: ClaimedCommand): Promise<Sending>;
  /** Monotonic time of the last frame. */
  lastActiveMs(): number;
  close(code: number, reason: string): void;
}

/**
 * The connections of this process by agent and worker. A reconnect of the same worker displaces the older connection; one agent
 * holds at most `cap` connections (0: no cap).
 */
export class Connections {
  readonly #cap: number;
  readonly #byAgent = new Map<string, Map<string, AgentConnection>>();
  #count = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /** False when the agent has as many connections as it may. */
  register(connection: AgentConnection): boolean {
    const connections = this.#byAgent.get(connection.agentId) ?? new Map<string, AgentConnection>();
    const older = connections.get(keyOf(connection));
    if (older === undefined && this.#cap > 0 && connections.size >= this.#cap) return false;
    this.#byAgent.set(connection.agentId, connections);
    connections.set(keyOf(connection), connection);
    if (older === undefined) this.#count += 1;
    else older.close(closeCodes.displaced, "displaced by a newer connection");
    return true;
  }

  /** Takes a closed connection out; false when a newer one already has its place. */
  unregister(connection: AgentConnection): boolean {
    const connections = this.#byAgent.get(connection.agentId);
    if (connections?.get(keyOf(connection)) !== connection) return false;
    connections.delete(keyOf(connection));
    if (connections.size === 0) this.#byAgent.delete(connection.agentId);
    this.#count -= 1;
    return true;
  }

  ofAgent(agentId: string): readonly AgentConnection[] {
    return [...(this.#byAgent.get(agentId)?.values() ?? [])];
  }

  agentIds(): readonly string[] {
    return [...this.#byAgent.keys()];
  }

  count(): number {
    return this.#count;
  }

  closeAgent(agentId: string, code: number, reason: string): void {
    for (const connection of this.ofAgent(agentId)) connection.close(code, reason);
  }

  closeProject(projectId: string, code: number, reason: string): void {
    for (const connection of this.#all()) if (connection.projectId === projectId) connection.close(code, reason);
  }

  closeAll(code: number, reason: string): void {
    for (const connection of this.#all()) connection.close(code, reason);
  }

  #all(): readonly AgentConnection[] {
    return this.agentIds().flatMap((agentId) => this.ofAgent(agentId));
  }
}

const keyOf = ({ workerId }: AgentConnection): string => workerId ?? "";
