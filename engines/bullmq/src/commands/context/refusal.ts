import { networkFaultOf } from "../../redis/connection.ts";

/** A command that cannot be carried out. The message is shown to operators: it holds no payload and no address. */
export class Refusal extends Error {
  /** What there is to tell beside it, in the form of the result of a success. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  /** Whether it took effect nobody knows. */
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

/** Why a command failed, for an operator. Command errors of ioredis hold the arguments, and those hold payloads: only the message's first line is told. */
export function failureOf(fault: unknown): Failure {
  if (fault instanceof Refusal) {
    return { error: fault.message, ...(fault.outcome !== undefined && { outcome: fault.outcome }) };
  }
  const error = fault instanceof Error ? fault : new Error(String(fault));
  const network = networkFaultOf(error);
  if (network !== undefined) {
    return { error: `Redis: ${network}; whether the command was carried out is unknown`, outcome: "unknown" };
  }
  return { error: `Redis or BullMQ: ${error.message.split("\n", 1)[0]?.slice(0, longestReason)}` };
}
