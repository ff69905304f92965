import { networkFaultOf } from "../../redis/connection.ts";

/** A command that cannot be carried out. Operators see the message: it must not contain payloads or addresses. */
export class Refusal extends Error {
  /** Further details, in the form of a success's result. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  /** Set when the command may have taken effect. */
  readonly outcome: "unknown" | undefined;

  constructor(message: string, result?: Readonly<Record<string, unknown>>, outcome?: "unknown") {
    super(message);
    this.result = result;
    this.outcome = outcome;
  }
}

const longestReason = 200;

export interface Failure {
  readonly error: string;
  readonly outcome?: "unknown";
}

/** Why a command failed, for an operator. Command errors of ioredis contain arguments and thereby payloads: only the first line is used. */
export function failureOf(fault: unknown): Failure {
  if (fault instanceof Refusal) {
    return { error: fault.message, ...(fault.outcome !== undefined && { outcome: fault.outcome }) };
  }
  const error = fault instanceof Error ? fault : new Error(String(fault));
  const network = networkFaultOf(error);
  if (network !== undefined) {
    return { error: `Redis: ${network}. Outcome unknown: the command may have run.`, outcome: "unknown" };
  }
  return { error: `Redis or BullMQ: ${error.message.split("\n", 1)[0]?.slice(0, longestReason)}` };
}
