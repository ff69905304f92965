import { expect, test } from "vitest";
import { statusCodes } from "../status-codes.ts";
import { createPlaces } from "./places.ts";

test("works run a few at once, others in their order, and more are refused", async () => {
  const places = createPlaces({ atOnce: 2, perCertificate: 2, waiting: 2 });
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const results = works.map((work, index) =>
    places.run("a", () => {
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
  expect(await places.run("a", async () => "free")).toBe("free");
});

test("works of one certificate leave places for those of others", async () => {
  const places = createPlaces({ atOnce: 3, perCertificate: 2, waiting: 9 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (certificate: string, name: string) =>
    places.run(certificate, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const works = [start("a", "a1"), start("a", "a2"), start("a", "a3"), start("b", "b1"), start("b", "b2")];
  expect(begun).toEqual(["a1", "a2", "b1"]);
  ends.get("b1")?.();
  await works[3];
  expect(begun).toEqual(["a1", "a2", "b1", "b2"]);
  ends.get("a1")?.();
  await works[0];
  expect(begun.at(-1)).toBe("a3");
  for (const name of ["a2", "a3", "b2"]) ends.get(name)?.();
  await Promise.all(works);
});
