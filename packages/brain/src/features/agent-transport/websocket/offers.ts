import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import { reachOf } from "../../agents/index.ts";
import type { ClaimedCommand, Commands } from "../../commands/index.ts";
import type { AgentConnection, Connections } from "./connections.ts";

export interface OfferDeps {
  readonly connections: Pick<Connections, "ofAgent" | "agentIds">;
  readonly commands: Pick<Commands, "claim" | "unsent" | "unsigned" | "waitingAgents">;
  readonly log: Log;
}

/** Commands claimed together; while the socket takes them, the next ones follow. */
const claimedAtOnce = 50;
/** And those that a connection is given before anything is read from it. */
const givenAtFirst = 500;

/**
 * Gives the agents that are connected here the commands that wait for them: each is claimed before it is sent. The offers of one agent run
 * one after another, and those asked for meanwhile are made together.
 */
export class Offers {
  readonly #deps: OfferDeps;
  /** By agent. */
  readonly #rounds: CoalescingQueue<void>;
  /** Deliveries whose outcome is not written yet. */
  readonly #deliveries = new Set<Promise<void>>();

  constructor(deps: OfferDeps) {
    this.#deps = deps;
    this.#rounds = new CoalescingQueue(
      (agentId) => this.#giveAll(agentId),
      (agentId, { message }) => deps.log.warn("agent_transport.offer_failed", { agent_id: agentId, message }),
    );
  }

  /** Lets the agent's connections here take what waits for it. Never throws, never waits. */
  offer(agentId: string): void {
    if (this.#deps.connections.ofAgent(agentId).length > 0) void this.#rounds.run(agentId);
  }

  /** A connection that just began takes what waits, before anything else is read from it; what is more than a few hundred comes then. */
  async begin(connection: AgentConnection): Promise<void> {
    const { agentId } = connection;
    const isMore = await this.#rounds.runAlone(agentId, () => this.#give(connection, givenAtFirst));
    if (isMore === true) this.offer(agentId);
  }

  /** Offers to all agents that are connected here, as word of commands may have been lost; returns for how many something waited. */
  async offerAll(): Promise<number> {
    const waiting = await this.#deps.commands.waitingAgents(this.#deps.connections.agentIds());
    for (const agentId of waiting) this.offer(agentId);
    return waiting.length;
  }

  /** Waits for the deliveries under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#deliveries);
  }

  /** Makes no offer any more, and waits for those under way. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.settled();
  }

  /** The most recently active connection that can do it is given each command. */
  async #giveAll(agentId: string): Promise<void> {
    const connections = this.#deps.connections.ofAgent(agentId);
    const newestFirst = [...connections].sort((a, b) => b.lastActiveMs() - a.lastActiveMs());
    for (const connection of newestFirst) await this.#give(connection);
  }

  /** Whether there may be more for it than `most`. */
  async #give(connection: AgentConnection, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { agentId, capabilities } = connection;
    for (let given = 0; connection.canTake(); ) {
      if (given >= most) return true;
      const max = Math.min(claimedAtOnce, most - given);
      const claimed = await this.#deps.commands.claim({ agentId, max, ...reachOf(capabilities) });
      for (const command of claimed.commands) this.#deliver(connection, command);
      if (!claimed.hasMore) return false;
      given += claimed.commands.length;
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
