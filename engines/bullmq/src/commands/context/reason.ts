import { networkFaultOf } from "../../redis/connection.ts";
import { Refusal } from "./refusal.ts";

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
