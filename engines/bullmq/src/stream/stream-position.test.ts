import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareStreamIds, streamIdBefore } from "./stream-entry.ts";
import {
  firstPosition,
  judgeContinuity,
  readStreamInfo,
  type StreamInfo,
  type StreamPosition,
} from "./stream-position.ts";

const stream = (more: Partial<StreamInfo>): StreamInfo => ({
  length: 10,
  firstId: "1000-0",
  lastGeneratedId: "1009-0",
  entriesAdded: 10,
  ...more,
});

const judge = (position: StreamPosition, info: StreamInfo | undefined, holdsPosition = true) =>
  judgeContinuity(position, { info, holdsPosition });

describe("a stream position", () => {
  test("is continuous while the entries after it still exist", () => {
    expect(judge({ lastId: "1004-0", entriesAdded: 5 }, stream({})).kind).toBe("continuous");
  });

  test("is continuous when exactly the read entries were trimmed", () => {
    const info = stream({ length: 5, firstId: "1005-0" });
    expect(judge({ lastId: "1004-0", entriesAdded: 5 }, info).kind).toBe("continuous");
  });

  test("counts the entries trimmed before they were read", () => {
    const info = stream({ length: 3, firstId: "1007-0" });
    expect(judge({ lastId: "1004-0", entriesAdded: 5 }, info)).toEqual({
      kind: "trimmed",
      lost: 2,
      next: { lastId: "1006-18446744073709551615", entriesAdded: 7 },
    });
  });

  test("counts the unread entries of an emptied stream", () => {
    const info = stream({ length: 0, firstId: null });
    expect(judge({ lastId: "1004-0", entriesAdded: 5 }, info)).toMatchObject({ kind: "trimmed", lost: 5 });
    expect(judge({ lastId: "1009-0", entriesAdded: 10 }, info).kind).toBe("continuous");
  });

  test("on a server that does not count entries, reports one loss of unknown size", () => {
    const info = stream({ length: 3, firstId: "1007-0", entriesAdded: null });
    const verdict = judge({ lastId: "1004-0", entriesAdded: null }, info);
    expect(verdict).toMatchObject({ kind: "trimmed", lost: null });
    if (verdict.kind !== "trimmed") throw new Error(verdict.kind);
    expect(judge(verdict.next, info).kind).toBe("continuous");
  });

  test("detects a stream that was created again", () => {
    const info = stream({ length: 4, firstId: "2000-0", lastGeneratedId: "2003-0", entriesAdded: 6 });
    expect(judge({ lastId: "1004-0", entriesAdded: 50 }, info)).toMatchObject({ kind: "replaced", lost: 2 });
    expect(judge({ lastId: "1004-0", entriesAdded: 50 }, undefined)).toMatchObject({
      kind: "replaced",
      next: { lastId: "0-0", entriesAdded: 0 },
    });
  });

  test("detects a stream that returned in an older state", () => {
    expect(judge({ lastId: "1020-0", entriesAdded: 21 }, stream({}))).toEqual({
      kind: "rewound",
      next: { lastId: "1009-0", entriesAdded: 10 },
    });
  });

  test("detects a stream that returned in an older state and was written to since", () => {
    const read = { lastId: "1004-0", entriesAdded: 5 };
    expect(judge(read, stream({}), false)).toEqual({ kind: "rewound", next: { lastId: "1004-0", entriesAdded: null } });
    expect(judge({ ...read, entriesAdded: null }, stream({}), false).kind).toBe("continuous");
    expect(judge(read, stream({ firstId: "1005-0", length: 5 }), false).kind).toBe("continuous");
  });

  test("begins before the first entry or after the last", () => {
    const info = stream({ length: 4, entriesAdded: 10 });
    expect(firstPosition(info, "beginning")).toEqual({ lastId: "0-0", entriesAdded: 6 });
    expect(firstPosition(info, "now")).toEqual({ lastId: "1009-0", entriesAdded: 10 });
    expect(firstPosition(undefined, "now")).toEqual({ lastId: "0-0", entriesAdded: 0 });
  });

  test("reads the reply of a server that does not count", () => {
    const reply = ["length", 1, "last-generated-id", "5-0", "first-entry", ["5-0", ["event", "added"]]];
    expect(readStreamInfo(reply)).toEqual({ length: 1, firstId: "5-0", lastGeneratedId: "5-0", entriesAdded: null });
  });

  test("always counts exactly: read + lost + readable = added", () => {
    const history = fc.record({ added: fc.nat(200), read: fc.nat(200), removed: fc.nat(200) });
    fc.assert(
      fc.property(history, ({ added, read, removed }) => {
        const readCount = Math.min(read, added);
        const removedCount = Math.min(removed, added);
        const id = (index: number) => `${1000 + index}-0`;
        const info: StreamInfo = {
          length: added - removedCount,
          firstId: removedCount < added ? id(removedCount) : null,
          lastGeneratedId: added === 0 ? "0-0" : id(added - 1),
          entriesAdded: added,
        };
        const position = { lastId: readCount === 0 ? "0-0" : id(readCount - 1), entriesAdded: readCount };
        const verdict = judge(position, info);
        const lost = verdict.kind === "trimmed" ? verdict.lost : 0;
        expect(verdict.kind === "trimmed" || verdict.kind === "continuous").toBe(true);
        expect(lost).toBe(Math.max(removedCount - readCount, 0));
      }),
    );
  });
});

describe("stream ids", () => {
  const id = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 63n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

  test("compare as pairs of numbers, even beyond the precision of a double", () => {
    fc.assert(
      fc.property(id, id, ([aMs, aSequence], [bMs, bSequence]) => {
        const expected =
          aMs === bMs ? Number(aSequence > bSequence) - Number(aSequence < bSequence) : aMs > bMs ? 1 : -1;
        expect(Math.sign(compareStreamIds(`${aMs}-${aSequence}`, `${bMs}-${bSequence}`))).toBe(expected);
      }),
    );
  });

  test("the previous id is smaller, with nothing in between", () => {
    expect(streamIdBefore("5-3")).toBe("5-2");
    expect(streamIdBefore("5-0")).toBe("4-18446744073709551615");
    expect(streamIdBefore("0-0")).toBe("0-0");
  });
});
