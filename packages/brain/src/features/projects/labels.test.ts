import { describe, expect, test } from "vitest";
import { createProjectLabels } from "./labels.ts";

function labelsOf(slugs: Map<string, string>, maxRemembered = 100) {
  const queries: string[][] = [];
  const errors: unknown[] = [];
  let answer: () => Promise<ReadonlyMap<string, string>> = async () => new Map(slugs);
  const labels = createProjectLabels({
    async slugsOf(ids) {
      queries.push([...ids]);
      return answer();
    },
    onError: (error) => void errors.push(error),
    maxRemembered,
  });
  const known = (...ids: string[]) => new Promise<void>((resolve) => labels.whenKnown(new Set(ids), resolve));
  function answerWith(next: typeof answer): void {
    answer = next;
  }
  return { labels, queries, errors, known, answerWith };
}

describe("the labels of projects", () => {
  test("are their slugs, loaded once", async () => {
    const { labels, queries, known } = labelsOf(new Map([["p", "shop"]]));
    expect(labels.of("p")).toBeUndefined();
    await known("p");
    expect(labels.of("p")).toBe("shop");
    const done: string[] = [];
    labels.whenKnown(new Set(["p"]), () => void done.push("at once"));
    expect(done).toEqual(["at once"]);
    expect(queries).toEqual([["p"]]);
  });

  test("are undefined for an inactive project, which is not loaded again either", async () => {
    const { labels, queries, known } = labelsOf(new Map());
    await known("p");
    await known("p");
    expect(labels.of("p")).toBeUndefined();
    expect(queries).toHaveLength(1);
  });

  test("end and change only with the slug", async () => {
    const slugs = new Map([["p", "shop"]]);
    const { labels, known } = labelsOf(slugs);
    await known("p");
    expect(labels.changed("p", "shop")).toBeNull();
    expect(labels.of("p")).toBe("shop");
    slugs.set("p", "store");
    expect(labels.changed("p", "store")).toBe("shop");
    await known("p");
    expect(labels.of("p")).toBe("store");
  });

  test("end when the project is archived, even when notified twice", async () => {
    const slugs = new Map([["p", "shop"]]);
    const { labels, known } = labelsOf(slugs);
    await known("p");
    slugs.delete("p");
    expect(labels.changed("p", null)).toBe("shop");
    await known("p");
    expect(labels.changed("p", null)).toBeNull();
    expect(labels.of("p")).toBeUndefined();
  });

  test("do not keep a slug that was read before the project changed", async () => {
    const { labels, known, answerWith } = labelsOf(new Map());
    const first = Promise.withResolvers<ReadonlyMap<string, string>>();
    answerWith(() => first.promise);
    const learning = known("p");
    labels.changed("p", "store");
    answerWith(async () => new Map([["p", "store"]]));
    first.resolve(new Map([["p", "shop"]]));
    await learning;
    expect(labels.of("p")).toBe("store");
  });

  test("are limited in number", async () => {
    const { labels, known } = labelsOf(new Map(["a", "b", "c"].map((id) => [id, id])), 2);
    await known("a");
    await known("b");
    await known("c");
    expect([labels.of("a"), labels.of("b"), labels.of("c")]).toEqual([undefined, "b", "c"]);
  });

  test("report a failed query and do not run the work", async () => {
    const { labels, errors, answerWith } = labelsOf(new Map());
    const failure = new Error("connection lost");
    answerWith(() => Promise.reject(failure));
    const reported = Promise.withResolvers<void>();
    labels.whenKnown(new Set(["p"]), () => expect.unreachable());
    setImmediate(reported.resolve);
    await reported.promise;
    expect(errors).toEqual([failure]);
  });
});
