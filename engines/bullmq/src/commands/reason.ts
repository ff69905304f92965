import { networkFaultOf } from "../connection.ts";
import { Refusal } from "./refusal.ts";

const longestReason = 200;

/** Why a command failed, for an operator. Command errors of ioredis hold the arguments, and those hold payloads: only the message's first line is told. */
export function reasonOf(fault: unknown): string {
  if (fault instanceof Refusal) return fault.message;
  const error = fault instanceof Error ? fault : new Error(String(fault));
  const network = networkFaultOf(error);
  if (network !== undefined) return `Redis: ${network}; whether the command was carried out is unknown`;
  return `Redis or BullMQ: ${error.message.split("\n", 1)[0]?.slice(0, longestReason)}`;
}
