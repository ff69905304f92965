import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { readEffectiveRequest } from "./effective-request.ts";
import { sealPlan } from "./seal.ts";

describe("the payload of a child", () => {
  const effective = readEffectiveRequest({ idempotency_key: "key", filter: { queue: "emails" } });
  const seal = async (maxFrameBytes: number, nameLength: number) => {
    const task = { engine: "rq", task_id: "task-1", name: "x".repeat(nameLength), priority: "normal" };
    const { children } = await sealPlan(
      { clock: createFakeClock(), maxFrameBytes },
      {
        projectId: randomUUID(),
        parentId: randomUUID(),
        effective,
        tasks: [{ ...task, reported_by: randomUUID() }],
      },
    );
    return children[0]!.payload_size;
  };

  test.each([
    ["half of the smallest frame", 8192, 4096],
    ["half of a frame below 32 KiB", 32_766, 16_383],
    ["16 KiB of a frame of 32 KiB", 32_768, 16_384],
    ["16 KiB of a frame of 1 MiB", 1_048_576, 1_048_576 - 16_384],
  ])("must leave %s free, or the request is refused", async (_what, maxFrameBytes, most) => {
    const longest = most - (await seal(maxFrameBytes, 0));
    expect(await seal(maxFrameBytes, longest)).toBe(most);
    await expect(seal(maxFrameBytes, longest + 1)).rejects.toMatchObject({
      code: "validation_error",
      details: { errors: [{ loc: ["body", "filter"], type: "too_long" }] },
    });
  });
});
