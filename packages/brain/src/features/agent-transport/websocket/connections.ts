import { closeCodes } from "@svc/protocol";
import type { ClaimedCommand } from "../../commands/index.ts";

/** What became of a command that was to be sent: `failed` says nothing of whether the agent got it. */
export type Sending = "sent" | "failed" | "unsigned";

/** One live WebSocket of an agent, as others may use it. */
export interface Slot {
  readonly agentId: string;
  readonly projectId: string;
  /** Null for an agent that names no worker: one slot of its own. */
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
 * holds at most `cap` slots (0: no cap).
 */
export function createSlots(cap: number) {
  const byAgent = new Map<string, Map<string, Slot>>();
  const keyOf = (slot: Slot) => slot.workerId ?? "";
  let count = 0;

  return {
    /** False when the agent has no slot left. */
    register(slot: Slot): boolean {
      const slots = byAgent.get(slot.agentId) ?? new Map<string, Slot>();
      const older = slots.get(keyOf(slot));
      if (older === undefined && cap > 0 && slots.size >= cap) return false;
      byAgent.set(slot.agentId, slots);
      slots.set(keyOf(slot), slot);
      if (older === undefined) count += 1;
      else older.close(closeCodes.displaced, "displaced by a newer connection");
      return true;
    },
    /** Takes a closed connection out; false when a newer one already has its place. */
    unregister(slot: Slot): boolean {
      const slots = byAgent.get(slot.agentId);
      if (slots?.get(keyOf(slot)) !== slot) return false;
      slots.delete(keyOf(slot));
      if (slots.size === 0) byAgent.delete(slot.agentId);
      count -= 1;
      return true;
    },
    ofAgent: (agentId: string): readonly Slot[] => [...(byAgent.get(agentId)?.values() ?? [])],
    agentIds: (): readonly string[] => [...byAgent.keys()],
    count: () => count,
    closeAgent(agentId: string, code: number, reason: string): void {
      for (const slot of [...(byAgent.get(agentId)?.values() ?? [])]) slot.close(code, reason);
    },
    closeProject(projectId: string, code: number, reason: string): void {
      for (const slots of [...byAgent.values()]) {
        for (const slot of [...slots.values()]) if (slot.projectId === projectId) slot.close(code, reason);
      }
    },
    closeAll(code: number, reason: string): void {
      for (const slots of [...byAgent.values()]) for (const slot of [...slots.values()]) slot.close(code, reason);
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;
