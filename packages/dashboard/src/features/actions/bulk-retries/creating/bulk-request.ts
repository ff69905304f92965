import type { BulkRetryBody, BulkRetryFilter } from "@svc/client";

/** A request with more matches than this is refused. */
export const maximumTasks = 10_000;

/** What stands in the fields of the dialog; empty fields ask for nothing. */
export interface Limits {
  canarySize: string;
  canaryFailures: string;
  rate: string;
}

export const noLimits: Limits = { canarySize: "", canaryFailures: "", rate: "" };

const ranges: Readonly<Record<keyof Limits, readonly [least: number, most: number]>> = {
  canarySize: [1, 10_000],
  canaryFailures: [0, 10_000],
  rate: [1, 1_000_000],
};

/** What is wrong with each field; null where nothing is. */
export function limitFaults(limits: Limits): Readonly<Record<keyof Limits, string | null>> {
  const faultOf = (field: keyof Limits): string | null => {
    const text = limits[field].trim();
    const [least, most] = ranges[field];
    if (text === "") return null;
    return /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? null
      : `A whole number, ${least} to ${most.toLocaleString("en-US")}`;
  };
  const isLoose = limits.canaryFailures.trim() !== "" && limits.canarySize.trim() === "";
  return {
    canarySize: faultOf("canarySize"),
    canaryFailures: faultOf("canaryFailures") ?? (isLoose ? "Say how many are tried first" : null),
    rate: faultOf("rate"),
  };
}

/** The body but for its key. `limits` are without faults. */
export function bulkRequest(
  filter: BulkRetryFilter,
  limits: Limits,
  agentId: string,
): Omit<BulkRetryBody, "idempotency_key"> {
  const { canarySize, canaryFailures, rate } = limits;
  return {
    filter,
    max: maximumTasks,
    ...(agentId !== "" && { agent_id: agentId }),
    ...(canarySize.trim() !== "" && { canary_size: Number(canarySize) }),
    ...(canaryFailures.trim() !== "" && { canary_max_failures: Number(canaryFailures) }),
    ...(rate.trim() !== "" && { rate_per_minute: Number(rate) }),
  };
}
