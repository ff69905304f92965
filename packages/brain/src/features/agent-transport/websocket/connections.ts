import { closeCodes } from "@svc/protocol";
import type { ClaimedCommand } from "../../commands/index.ts";

/** The result of sending a command; after `failed` the agent may or may not have received it. */
export type Sending = "sent" | "failed" | "unsigned";

/** One live WebSocket of an agent, as other modules see it. */
export interface AgentConnection {
  readonly agentId: string;
  readonly projectId: string;
  /** Null for an agent that names no worker: one connection of its own. */
  readonly workerId: string | null;
  readonly connectedAt: Date;
  /** Engines and their capability tokens, as reported in this connection's hello; an engine that was only named has none. */
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  /** Whether a command may be sent: the socket is open, the agent reads it, and fewer than 500 commands are unfinished. */
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

  /** False when the agent has reached its connection limit. */
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

  /** Removes a closed connection; false when a newer one has already replaced it. */
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
