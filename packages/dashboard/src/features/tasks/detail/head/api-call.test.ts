import fc from "fast-check";
import { expect, test } from "vitest";
import { curlOf } from "./api-call.ts";

test("the call uses the task's encoded URL", () => {
  expect(curlOf("https://svc.test", "shop", "bullmq", "a/b c")).toBe(
    `curl -sb jar 'https://svc.test/api/v1/projects/shop/tasks/bullmq/a%2Fb%20c'`,
  );
});

test("no id can break out of the quotes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (taskId) => {
      // A URL cannot contain dot segments, in any encoding.
      fc.pre(taskId !== "." && taskId !== "..");
      const [, quoted = "", ...more] = curlOf("http://svc.test", "shop", "demo", taskId).split("'");
      expect(more).toEqual([""]);
      expect(decodeURIComponent(new URL(quoted).pathname.split("/").at(-1) ?? "")).toBe(taskId);
    }),
  );
});
