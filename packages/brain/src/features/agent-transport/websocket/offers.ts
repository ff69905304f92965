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
/** And those that a connection is given before anything is read from it (spec part 3, section 1.3 step 13). */
const givenAtFirst = 500;
/** After an offer that failed. */
const repeatMs = 500;

interface Round {
  isAskedAgain: boolean;
  readonly ended: Promise<void>;
}

/**
 * Gives the agents that are connected here the commands that wait for them: each is claimed before it is sent. The offers of one agent run
 * one after another, and what is asked for meanwhile is one more round.
 */
export function createOffers({ connections, commands, log }: OfferDeps) {
  const offering = new Map<string, Round>();
  /** Agents whose offer failed and is to be made again. */
  const repeats = new Map<string, NodeJS.Timeout>();
  /** Deliveries whose outcome is not written yet. */
  const settling = new Set<Promise<void>>();

  /** Whether there may be more for it than `most`. */
  async function give(connection: AgentConnection, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (let given = 0; connection.canTake(); ) {
      if (given >= most) return true;
      const max = Math.min(claimedAtOnce, most - given);
      const claimed = await commands.claim({ agentId: connection.agentId, max, ...reachOf(connection.capabilities) });
      for (const command of claimed.commands) deliver(connection, command);
      if (!claimed.hasMore) return false;
      given += claimed.commands.length;
    }
    return false;
  }

  function deliver(connection: AgentConnection, command: ClaimedCommand): void {
    const settled = connection
      .deliver(command)
      .then(async (sending) => {
        if (sending === "unsigned") await commands.unsigned(command, "WebSocket signing failed");
        if (sending === "failed") await commands.unsent(command);
      })
      .catch((error: Error) => log.warn("agent_transport.delivery_not_noted", { message: error.message }))
      .finally(() => settling.delete(settled));
    settling.add(settled);
  }

  /** The most recently active connection that can do it is given each command (spec part 3, section 1.3). */
  async function giveAll(agentId: string): Promise<void> {
    const newestFirst = [...connections.ofAgent(agentId)].sort((a, b) => b.lastActiveMs() - a.lastActiveMs());
    for (const connection of newestFirst) await give(connection);
  }

  /** Runs one round of the agent; what is asked for meanwhile is the next one. */
  function run(agentId: string, work: () => Promise<void>): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const round: Round = { isAskedAgain: false, ended };
    offering.set(agentId, round);
    return work().finally(() => {
      offering.delete(agentId);
      end();
      if (round.isAskedAgain) offer(agentId);
    });
  }

  /** Lets the agent's connections here take what waits for it. Never throws, never waits. */
  function offer(agentId: string): void {
    if (connections.ofAgent(agentId).length === 0) return;
    const running = offering.get(agentId);
    if (running !== undefined) {
      running.isAskedAgain = true;
      return;
    }
    run(agentId, () => giveAll(agentId)).catch((error: Error) => {
      log.warn("agent_transport.offer_failed", { agent_id: agentId, message: error.message });
      offerLater(agentId);
    });
  }

  function offerLater(agentId: string): void {
    if (repeats.has(agentId)) return;
    const timer = setTimeout(() => {
      repeats.delete(agentId);
      offer(agentId);
    }, repeatMs);
    timer.unref();
    repeats.set(agentId, timer);
  }

  return {
    offer,
    /** A connection that just began takes what waits, before anything else is read from it; what is more than a few hundred comes then. */
    async begin(connection: AgentConnection): Promise<void> {
      const { agentId } = connection;
      for (let running = offering.get(agentId); running !== undefined; running = offering.get(agentId)) {
        await running.ended;
      }
      let isMore = false;
      await run(agentId, async () => {
        isMore = await give(connection, givenAtFirst);
      });
      if (isMore) offer(agentId);
    },
    /** Looks for commands of all agents that are connected here: word of them may have been lost. */
    async offerAll(): Promise<number> {
      const waiting = await commands.waitingAgents(connections.agentIds());
      for (const agentId of waiting) offer(agentId);
      return waiting.length;
    },
    /** Makes no failed offer again, and waits for the deliveries under way. */
    async settled(): Promise<void> {
      for (const timer of repeats.values()) clearTimeout(timer);
      await Promise.all(settling);
    },
  };
}

export type Offers = ReturnType<typeof createOffers>;
