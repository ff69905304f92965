import type { AddressDenial } from "../../platform/http/actor.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { Audit } from "./audit.ts";

/** Counts every refused address and writes its audit row, once per address in ten minutes whatever the surface. */
export function createDenials({
  audit,
  metrics,
}: {
  audit: Pick<Audit, "refused">;
  metrics: Pick<Metrics, "counter">;
}) {
  const denied = metrics.counter({
    name: "svc_auth_ip_denied_total",
    help: "requests refused for their source address",
    labels: ["surface"],
  });
  return (denial: AddressDenial): void => {
    denied.inc({ surface: denial.surface });
    audit.refused(`auth.ip_denied ${denial.address}`, {
      action: "auth.ip_denied",
      target_type: "address",
      target_id: denial.address,
      result: "denied",
      outcome: "deny",
      api_key_id: denial.apiKeyId,
      user_id: denial.userId,
      source_ip: denial.address,
      metadata: { surface: denial.surface, reason: denial.reason },
    });
  };
}
