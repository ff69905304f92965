import { randomUUID } from "node:crypto";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxPageBytes } from "../../platform/database/dialects/expressions/rows-within-bytes.ts";
import type { EventRow } from "../../schema/tables/index.ts";

// Today, whose partition exists.
const dayMs = Math.floor(Date.now() / 86_400_000) * 86_400_000;
const mebibyte = 1024 * 1024;
const count = 24;
const hugeIndex = 11;

for (const dialect of testDialects) {
  describe(`events with large payloads on ${dialect}`, () => {
    let brain: TestBrain;
    const stored: EventRow[] = [];

    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      await brain.runLoop("events.retention");
      for (let index = 0; index < count; index += 1) {
        const bytes = index === hugeIndex ? maxPageBytes + 1 : mebibyte;
        const row: EventRow = {
          id: randomUUID(),
          project_id: brain.project.id,
          agent_id: "31111111-2222-4333-8444-555555555555",
          engine: index % 3 === 0 ? "celery" : "bullmq",
          task_id: "large",
          kind: "task.sent",
          occurred_at: new Date(dayMs + (count - index) * 1000),
          payload: JSON.stringify({ args: "a".repeat(bytes) }),
        };
        await brain.running.brain.database.write(async (tx) => {
          await tx.insertInto("events").values(row).execute();
        });
        stored.push(row);
      }
    });
    afterAll(() => brain.stop());

    // All of a project, of a kind, of one engine (found by a scan), of one task in one engine, and of one task in all engines.
    test.each([
      "",
      "&kind=task.sent",
      "&engine=bullmq",
      "&task_id=large&engine=bullmq",
      "&task_id=large&kind=task.sent",
    ])("come page by page, none above the bound but the one that is alone, with the query '%s'", async (query) => {
      const expected = stored.filter(({ engine }) => !query.includes("engine=") || engine === "bullmq");
      const seen: string[] = [];
      let pages = 0;
      let cursor: string | null = null;
      do {
        const from: string = cursor === null ? "" : `&cursor=${cursor}`;
        const { status, body, text } = await brain.as.viewer.get(`/projects/shop/events?limit=500${query}${from}`);
        expect(status).toBe(200);
        expect(body.items.length).toBeGreaterThan(0);
        if (body.items.length > 1) expect(Buffer.byteLength(text)).toBeLessThan(maxPageBytes + mebibyte);
        seen.push(...body.items.map(({ id }: EventRow) => id));
        cursor = body.next_cursor;
        pages += 1;
      } while (cursor !== null && pages < count);
      expect(seen).toEqual(expected.map(({ id }) => id));
      expect(pages).toBeLessThanOrEqual(6);
    });
  });
}
