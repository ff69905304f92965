import { openTestDatabase } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { startAccess } from "../../../test/access-fixture.ts";
import { createMetrics } from "../../platform/metrics.ts";
import { createDenials } from "./index.ts";

test("a refused address is counted each time and recorded once, with the key that was presented", async () => {
  const opened = await openTestDatabase("sqlite");
  const fixture = await startAccess(opened.database);
  const metrics = createMetrics();
  const denied = createDenials({ audit: fixture.audit, metrics });
  const apiKeyId = "11111111-2222-4333-8444-555555555555";
  const denial = { surface: "api", reason: "key_allowed_cidrs", address: "10.0.0.1", apiKeyId, userId: null } as const;
  denied(denial);
  denied({ ...denial, surface: "agent", reason: "global_allowlist", apiKeyId: null });
  await fixture.audit.settled();
  expect(await fixture.auditRows("auth.ip_denied")).toMatchObject([
    {
      target_id: "10.0.0.1",
      source_ip: "10.0.0.1",
      api_key_id: apiKeyId,
      outcome: "deny",
      metadata: '{"reason":"key_allowed_cidrs","surface":"api"}',
    },
  ]);
  const text = await metrics.text();
  expect(text).toContain('svc_auth_ip_denied_total{surface="api"} 1');
  expect(text).toContain('svc_auth_ip_denied_total{surface="agent"} 1');
  await fixture.app.close();
  await opened.close();
});
