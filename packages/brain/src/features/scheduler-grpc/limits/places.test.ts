import { expect, test } from "vitest";
import { statusCodes } from "../status-codes.ts";
import { createPlaces } from "./places.ts";

test("works run a few at once, others in their order, and more are refused", async () => {
  const places = createPlaces({ atOnce: 2, waiting: 2 });
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const results = works.map((work, index) =>
    places.run(() => {
      begun.push(index);
      return work.promise;
    }),
  );
  await expect(results[4]).rejects.toMatchObject({ code: statusCodes.RESOURCE_EXHAUSTED });
  expect(begun).toEqual([0, 1]);
  works[1]?.reject(new Error("failed"));
  await expect(results[1]).rejects.toThrow("failed");
  works[0]?.resolve();
  works[2]?.resolve();
  works[3]?.resolve();
  await Promise.all([results[0], results[2], results[3]]);
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(await places.run(async () => "free")).toBe("free");
});
