import type { FastifyReply, FastifyRequest } from "fastify";
import { createFairQueue, type FairQueueLimits } from "../../coalescing/fair-queue.ts";
import { ApiError } from "../error-codes.ts";

/** Per process: one user who searches continuously leaves most of the database to the others. */
export const readTurnLimits: FairQueueLimits = { atOnce: 8, perSource: 2, maxWaiting: 256 };

export interface ReadTurns {
  /**
   * Resolves when it is the request's turn, which lasts until `end`, whether its client waits for the answer or not.
   *
   * @throws ApiError `rate_limited` (reads_full) when too many wait and this user has most of them; `unready` when the client has disconnected.
   */
  begin(request: FastifyRequest, reply: FastifyReply, user: string): Promise<void>;
  /** The answer is complete; does nothing for a request that took no turn. */
  end(request: FastifyRequest): void;
}

/** Requests of routes that read much of the database take turns by user. */
export function createReadTurns(limits = readTurnLimits): ReadTurns {
  const inTurn = createFairQueue(
    limits,
    () =>
      new ApiError(
        "rate_limited",
        { reason: "reads_full", retry_after_seconds: 1 },
        { detail: "too many requests at once; retry in 1 second", headers: { "retry-after": "1" } },
      ),
  );
  const ends = new WeakMap<FastifyRequest, () => void>();
  return {
    begin: (request, reply, user) =>
      new Promise((begun, refused) => {
        inTurn(user, async () => {
          if (reply.raw.destroyed) throw new ApiError("unready");
          const turn = Promise.withResolvers<void>();
          ends.set(request, turn.resolve);
          begun();
          await turn.promise;
        }).catch(refused);
      }),
    end: (request) => ends.get(request)?.(),
  };
}
