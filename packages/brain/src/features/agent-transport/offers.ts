import { retryContractMarker } from "@svc/protocol";
import type { Log } from "../../platform/log.ts";
import type { ClaimedCommand, Commands } from "../commands/index.ts";
import type { Slot, Slots } from "./slots.ts";

export interface OfferDeps {
  readonly slots: Pick<Slots, "ofAgent" | "agentIds">;
  readonly commands: Pick<Commands, "claim" | "unsent" | "unsigned" | "waitingAgents">;
  readonly log: Log;
}

/** Commands claimed together; while the socket takes them, the next ones follow. */
const claimedAtOnce = 50;

/**
 * Gives the agents that are connected here the commands that wait for them: each is claimed before it is sent. The offers of one agent run
 * one after another, and what is asked for meanwhile is one more round.
 */
export function createOffers({ slots, commands, log }: OfferDeps) {
  const offering = new Map<string, { isAskedAgain: boolean }>();
  /** Deliveries whose outcome is not written yet. */
  const settling = new Set<Promise<void>>();

  async function give(slot: Slot): Promise<void> {
    while (slot.canTake()) {
      const claimed = await commands.claim({ agentId: slot.agentId, max: claimedAtOnce, ...reachOf(slot) });
      for (const command of claimed) deliver(slot, command);
      if (claimed.length < claimedAtOnce) return;
    }
  }

  function deliver(slot: Slot, command: ClaimedCommand): void {
    const settled = slot
      .deliver(command)
      .then(async (sending) => {
        if (sending === "unsigned") await commands.unsigned(command, "WebSocket signing failed");
        // Another connection of the agent may take it now.
        if (sending === "failed" && (await commands.unsent(command))) offer(slot.agentId);
      })
      .catch((error: Error) => log.warn("agent_transport.delivery_not_noted", { message: error.message }))
      .finally(() => settling.delete(settled));
    settling.add(settled);
  }

  async function giveAll(agentId: string): Promise<void> {
    // Where several can do it, the one that says the most of itself comes first.
    for (const slot of [...slots.ofAgent(agentId)].sort((a, b) => tokensOf(b) - tokensOf(a))) await give(slot);
  }

  /** Lets the agent's connections here take what waits for it. Never throws, never waits. */
  function offer(agentId: string): void {
    if (slots.ofAgent(agentId).length === 0) return;
    const running = offering.get(agentId);
    if (running !== undefined) {
      running.isAskedAgain = true;
      return;
    }
    const round = { isAskedAgain: false };
    offering.set(agentId, round);
    giveAll(agentId)
      .catch((error: Error) => log.warn("agent_transport.offer_failed", { agent_id: agentId, message: error.message }))
      .finally(() => {
        offering.delete(agentId);
        if (round.isAskedAgain) offer(agentId);
      });
  }

  return {
    offer,
    /** A connection that just began takes what waits, before anything else is read from it. */
    give,
    /** Looks for commands of all agents that are connected here: word of them may have been lost. */
    async offerAll(): Promise<number> {
      const waiting = await commands.waitingAgents(slots.agentIds());
      for (const agentId of waiting) offer(agentId);
      return waiting.length;
    },
    async settled(): Promise<void> {
      await Promise.all(settling);
    },
  };
}

export type Offers = ReturnType<typeof createOffers>;

const tokensOf = ({ capabilities }: Slot): number =>
  Object.values(capabilities).reduce((sum, tokens) => sum + tokens.length, 0);

/** What the connection may be given (spec part 3, section 4.2 rule 3). */
function reachOf({ capabilities }: Slot) {
  const engines = Object.keys(capabilities);
  const retryContracts = engines.filter((engine) => capabilities[engine]?.includes(retryContractMarker));
  return { engines: new Set(engines), retryContracts: new Set(retryContracts) };
}
