import type { Clock } from "../../../platform/clock.ts";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import { reachOf } from "../../agents/index.ts";
import type { ClaimedCommand, Commands } from "../../commands/index.ts";
import type { AgentConnection, Connections } from "./connections.ts";

export interface OfferDeps {
  readonly connections: Pick<Connections, "ofAgent" | "agentIds">;
  readonly commands: Pick<Commands, "claim" | "unsent" | "unsigned" | "waitingAgents" | "unacknowledgedAgents">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** How long after its last send a regular offer sends an unacknowledged command again, in milliseconds. */
  readonly resendMs: number;
}

/** Commands claimed per batch; more follow while the connection takes them. */
const claimedAtOnce = 50;

/**
 * Offers waiting commands to the agents connected here; each command is claimed before it is sent. The offers of one agent run one after
 * another; offers requested while one runs are merged into the next.
 *
 * A command that was sent, or claimed by a process that was killed, may not have arrived. If it is unacknowledged and may be repeated, it is
 * sent again when a session of its agent begins or ends, and otherwise by the regular offers.
 */
export class Offers {
  readonly #deps: OfferDeps;
  /** By agent. */
  readonly #rounds: CoalescingQueue<void>;
  /** Agents whose unacknowledged commands are sent again with the next offer, if they were last sent at or before this. */
  readonly #resends = new Map<string, Date>();
  /** Deliveries whose outcome is not written yet. */
  readonly #deliveries = new Set<Promise<void>>();

  constructor(deps: OfferDeps) {
    this.#deps = deps;
    this.#rounds = new CoalescingQueue(
      (agentId) => this.#giveAll(agentId),
      (agentId, { message }) => deps.log.warn("agent_transport.offer_failed", { agent_id: agentId, message }),
    );
  }

  /** Offers waiting commands to the agent's connections here. Never throws, never waits. */
  offer(agentId: string): void {
    if (this.#deps.connections.ofAgent(agentId).length > 0) void this.#rounds.run(agentId);
  }

  /**
   * A new connection receives unacknowledged and waiting commands before anything else is read from it, as many as it takes. The rest
   * follows as results arrive.
   */
  async begin(connection: AgentConnection): Promise<void> {
    const { agentId } = connection;
    const sentBy = this.#before(1);
    const isAll = await this.#rounds.runAlone(agentId, () => this.#give(connection, sentBy));
    if (isAll === false) this.#offerAgain(agentId, sentBy);
  }

  /** A connection ended, and what it did not acknowledge goes to the agent's other connections here. Never throws, never waits. */
  ended(agentId: string): void {
    this.#offerAgain(agentId, this.#before(1));
  }

  /** Offers to all agents connected here, because notifications may be lost; returns for how many agents anything waited. */
  async offerAll(): Promise<number> {
    const { commands, connections, resendMs } = this.#deps;
    const agentIds = connections.agentIds();
    const sentBy = this.#before(resendMs);
    const unacknowledged = await commands.unacknowledgedAgents(agentIds, sentBy);
    const waiting = await commands.waitingAgents(agentIds);
    for (const agentId of unacknowledged) this.#offerAgain(agentId, sentBy);
    for (const agentId of waiting) this.offer(agentId);
    return new Set([...unacknowledged, ...waiting]).size;
  }

  /** Waits for the deliveries in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#deliveries);
  }

  /** Stops making offers, and waits for those in progress. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.settled();
  }

  #before(ms: number): Date {
    return new Date(this.#deps.clock.now().getTime() - ms);
  }

  /** Offers, and sends unacknowledged commands again. */
  #offerAgain(agentId: string, sentBy: Date): void {
    if (this.#deps.connections.ofAgent(agentId).length === 0) {
      this.#resends.delete(agentId);
      return;
    }
    const other = this.#resends.get(agentId);
    if (other === undefined || other < sentBy) this.#resends.set(agentId, sentBy);
    this.offer(agentId);
  }

  /** Gives each command to the most recently active connection that is eligible for it. */
  async #giveAll(agentId: string): Promise<void> {
    const connections = this.#deps.connections.ofAgent(agentId);
    const newestFirst = [...connections].sort((a, b) => b.lastActiveMs() - a.lastActiveMs());
    const resendSentBy = this.#resends.get(agentId);
    let isAll = true;
    for (const connection of newestFirst) isAll = (await this.#give(connection, resendSentBy)) && isAll;
    // Kept for connections that take no more now, and after a failure, because the offer is repeated.
    if (isAll && this.#resends.get(agentId) === resendSentBy) this.#resends.delete(agentId);
  }

  /** False when the connection takes no more now, although more may wait for it. */
  async #give(connection: AgentConnection, resendSentBy: Date | undefined): Promise<boolean> {
    const { agentId, capabilities } = connection;
    const request = { agentId, ...reachOf(capabilities), ...(resendSentBy !== undefined && { resendSentBy }) };
    while (connection.canTake()) {
      const claimed = await this.#deps.commands.claim({ ...request, max: claimedAtOnce });
      for (const command of claimed.commands) this.#deliver(connection, command);
      if (!claimed.hasMore) return true;
    }
    return false;
  }

  #deliver(connection: AgentConnection, command: ClaimedCommand): void {
    const { commands, log } = this.#deps;
    const delivery = connection
      .deliver(command)
      .then(async (sending) => {
        if (sending === "unsigned") await commands.unsigned(command, "WebSocket signing failed");
        if (sending === "failed") await commands.unsent(command);
      })
      .catch((error: Error) => log.warn("agent_transport.delivery_not_noted", { message: error.message }))
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }
}
