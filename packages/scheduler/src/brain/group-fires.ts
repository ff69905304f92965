import {
  type FireOutcome,
  type FireScheduleRequest,
  type FireScheduleResponse,
  type FireSchedulesRequest,
  type FireSchedulesResponse,
  maxFiresPerCall,
} from "@svc/protocol";
import { type Brain, BrainFault } from "./brain.ts";

interface Waiting {
  readonly request: FireScheduleRequest;
  readonly resolve: (answer: FireScheduleResponse) => void;
  readonly reject: (fault: BrainFault) => void;
}

type Refusal = NonNullable<FireOutcome["refusal"]>;

/**
 * Sends fires that begin in the same turn of the event loop in one call, because a call costs more than a fire. Each has its own answer. All
 * fires of a turn have the same timeout.
 */
export function groupFires(
  send: (request: FireSchedulesRequest, timeoutMs: number) => Promise<FireSchedulesResponse>,
  faultOf: (refusal: Refusal) => BrainFault,
): Brain["fire"] {
  let waiting: Waiting[] = [];

  async function sendGroup(group: readonly Waiting[], timeoutMs: number): Promise<void> {
    try {
      const { results } = await send({ fires: group.map(({ request }) => request) }, timeoutMs);
      for (const [index, { resolve, reject }] of group.entries()) {
        const { answer, refusal } = results[index] ?? {};
        if (answer) resolve(answer);
        else reject(refusal ? faultOf(refusal) : new BrainFault("the service did not answer", true));
      }
    } catch (fault) {
      for (const { reject } of group) reject(fault as BrainFault);
    }
  }

  return (request, timeoutMs) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const groups = waiting;
        waiting = [];
        while (groups.length > 0) void sendGroup(groups.splice(0, maxFiresPerCall), timeoutMs);
      });
    });
}
