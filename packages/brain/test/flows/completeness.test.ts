import { waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { connectRaw } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const lossOf = (event_records: number) => ({
  buffer_id: "b1",
  runtime_id: "r1",
  capacity_evicted_frames: event_records,
  content_rejected_frames: 0,
  event_records,
  command_results: 0,
  other_frames: 0,
  unclassified_frames: 0,
  adapter_events: {},
});

for (const dialect of testDialects) {
  describe(`GET /projects/{slug}/completeness on ${dialect}`, () => {
    let brain: TestBrain;
    const path = "/projects/shop/completeness";

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());

    test.each(["heartbeat", "agent_status"] as const)("returns the losses that agents report in a %s", async (type) => {
      const minted = await brain.mintAgent(`of ${type}`);
      const agent = await connectRaw({ url: brain.url, ...minted });
      const ofAgent = async () => {
        const { status, body } = await brain.as.viewer.get(path);
        expect(status).toBe(200);
        return body.gaps.filter(({ agent_id }: { agent_id: string }) => agent_id === minted.agentId);
      };
      agent.sendFrame(type, { buffer_size: 0, dropped_events: 0, adapter_health: {}, telemetry_loss: lossOf(0) });
      agent.sendFrame(type, { buffer_size: 0, dropped_events: 31, adapter_health: {}, telemetry_loss: lossOf(31) });
      await waitFor(async () => (await ofAgent()).length > 0);
      const [gap] = await ofAgent();
      expect(gap).toMatchObject({
        agent_name: `of ${type}`,
        event_records: 31,
        other_frames: 0,
        reason: "capacity",
      });
      expect(Date.parse(gap.to)).toBeGreaterThanOrEqual(Date.parse(gap.from));
      await agent.close();
    });

    test("returns how far back losses are known, and is hidden from users outside the project", async () => {
      const { body } = await brain.as.viewer.get(`${path}?since=2026-01-01&until=2026-02-01`);
      expect(body).toEqual({ gaps: [], kept_since: expect.any(String), is_cut: false });
      expect((Date.now() - Date.parse(body.kept_since)) / 86_400_000).toBeCloseTo(30.5, -1);
      expect((await brain.as.viewer.get(`${path}?since=2026-01-01&until=2026-06-01`)).status).toBe(422);
      expect((await brain.as.stranger.get(path)).status).toBe(404);
      expect((await brain.as.anonymous.get(path)).status).toBe(401);
    });
  });
}
