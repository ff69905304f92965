import type { BulkRetryBody, BulkRetryFilter } from "@svc/client";

/** The service refuses a request that matches more tasks. */
export const maximumTasks = 10_000;

/** The fields of the dialog as typed; an empty one sets no limit. */
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

/** The error of each field, or null. */
export function limitErrors(limits: Limits): Readonly<Record<keyof Limits, string | null>> {
  const errorOf = (field: keyof Limits): string | null => {
    const text = limits[field].trim();
    const [least, most] = ranges[field];
    if (text === "") return null;
    return /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? null
      : `Enter a whole number from ${least} to ${most.toLocaleString("en-US")}`;
  };
  const lacksSize = limits.canaryFailures.trim() !== "" && limits.canarySize.trim() === "";
  return {
    canarySize: errorOf("canarySize"),
    canaryFailures: errorOf("canaryFailures") ?? (lacksSize ? "Enter a canary size first" : null),
    rate: errorOf("rate"),
  };
}

/** The body without its key. `limits` have no errors. */
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
