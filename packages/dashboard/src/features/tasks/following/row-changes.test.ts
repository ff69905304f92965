import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import {
  isSearchIdle,
  type ListPage,
  type ListRow,
  type LoadedList,
  maximumRows,
  mergeList,
  rowsOf,
} from "../../task-data/index.ts";
import { byNewest, insertRows, missingRows, patchRows, removeRows } from "./row-changes.ts";

const at = (second: number, id = `id-${second}`, given: Partial<ListRow> = {}) =>
  taskRow({ id, received_at: new Date(1_700_000_000_000 + second * 1000).toISOString(), ...given });

function listOf(...pages: [seconds: number[], cursor: string | null][]): LoadedList {
  return {
    pages: pages.map(([seconds, next_cursor]) => ({
      items: seconds.map((second) => at(second)),
      next_cursor,
      reached: null,
    })),
    pageParams: pages.map((_, index) => (index === 0 ? null : `c${index}`)),
  };
}

const ids = (list: LoadedList) => rowsOf(list).map((row) => row.id);

describe("patchRows", () => {
  const list = listOf([[9, 8], "c1"], [[5, 4], null]);

  test("replaces a row where it stands and keeps the other pages as they are", () => {
    const patched = patchRows(list, [at(5, "id-5", { state: "failure", updated_at: "2026-11-20T10:00:09.000Z" })]);
    expect(ids(patched)).toEqual(ids(list));
    expect(rowsOf(patched)[2]?.state).toBe("failure");
    expect(patched.pages[0]).toBe(list.pages[0]);
  });

  test("does not put an older row back over a newer one", () => {
    const late = at(5, "id-5", { state: "started", updated_at: "2026-11-20T09:00:00.000Z" });
    expect(patchRows(list, [late])).toBe(list);
  });

  test("is the same list when no row is in it", () => {
    expect(patchRows(list, [at(100)])).toBe(list);
  });
});

describe("insertRows", () => {
  test("puts each row where the order wants it", () => {
    const list = listOf([[9, 7], "c1"], [[5, 3], "c2"]);
    expect(ids(insertRows(list, [at(6), at(10), at(8)]))).toEqual([
      "id-10",
      "id-9",
      "id-8",
      "id-7",
      "id-6",
      "id-5",
      "id-3",
    ]);
  });

  test("leaves rows below the loaded ones to paging, but takes them when nothing is below", () => {
    expect(ids(insertRows(listOf([[9, 7], "c1"]), [at(1)]))).toEqual(["id-9", "id-7"]);
    expect(ids(insertRows(listOf([[9, 7], null]), [at(1)]))).toEqual(["id-9", "id-7", "id-1"]);
  });

  test("fills an empty list", () => {
    expect(ids(insertRows(listOf([[], null]), [at(1), at(2)]))).toEqual(["id-2", "id-1"]);
  });

  test("keeps every row once and the whole list in order, whatever arrives", () => {
    const second = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(fc.uniqueArray(second), fc.array(second), fc.nat({ max: 3 }), (loaded, arriving, cut) => {
        const sorted = loaded.sort((a, b) => b - a);
        const list = listOf([sorted.slice(0, cut), "c1"], [sorted.slice(cut), null]);
        const rows = rowsOf(
          insertRows(
            list,
            arriving.map((one) => at(one)),
          ),
        );
        expect(rows.map((row) => row.id)).toEqual(
          [...new Set([...loaded, ...arriving])]
            .map((one) => at(one))
            .sort(byNewest)
            .map((row) => row.id),
        );
      }),
    );
  });
});

test("insertRows gives up whole pages at the end rather than keep more rows than the memory may hold", () => {
  const page = (cursor: string | null, from: number, size: number): ListPage => ({
    items: Array.from({ length: size }, (_, index) => at(from - index)),
    next_cursor: cursor,
    reached: null,
  });
  const list = { pages: [page("c1", 30_000, 9_900), page("c2", 20_000, 100), page("c3", 10_000, 100)], pageParams: [] };
  const grown = insertRows({ ...list, pageParams: [null, "c1", "c2"] }, [at(30_001), at(30_002)]);
  expect(rowsOf(grown).length).toBeLessThanOrEqual(maximumRows);
  expect(ids(grown)[0]).toBe("id-30002");
  expect([grown.pageParams, grown.pages.at(-1)?.next_cursor]).toEqual([[null], "c1"]);
});

describe("mergeList", () => {
  const begun = listOf([[9, 7], "c1"]);
  const answer = { pages: [...begun.pages, ...listOf([[5], null]).pages], pageParams: [null, "c1"] };

  test("adds the page below and keeps what was pushed while it was read", () => {
    const now = insertRows(patchRows(begun, [at(7, "id-7", { state: "failure" })]), [at(10)]);
    const joined = mergeList(now, answer);
    expect(ids(joined)).toEqual(["id-10", "id-9", "id-7", "id-5"]);
    expect(rowsOf(joined)[2]?.state).toBe("failure");
    expect(joined.pageParams).toEqual([null, "c1"]);
  });

  test("drops a page of a list that was started again meanwhile", () => {
    const now = listOf([[50, 40], "c9"]);
    expect(mergeList(now, answer)).toBe(now);
  });

  test("lets every change of the list itself through", () => {
    const changed = removeRows(answer, ["id-5"]);
    expect(mergeList(answer, changed)).toBe(changed);
    expect(mergeList(undefined, begun)).toBe(begun);
  });
});

test("isSearchIdle asks after every tenth page without a row", () => {
  const empty = listOf([[], "c"]).pages;
  const pages = (amount: number) => [
    ...listOf([[9], "c"]).pages,
    ...Array.from({ length: amount }, () => empty).flat(),
  ];
  expect([0, 1, 9, 10, 11, 20].map((amount) => isSearchIdle(pages(amount)))).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
});

describe("missingRows", () => {
  test("count down to where a search without matches has looked", () => {
    const list = listOf([[], "c1"]);
    for (const page of list.pages) page.reached = at(5).received_at;
    expect(missingRows(list, [at(6), at(4)]).map((row) => row.id)).toEqual(["id-6"]);
  });

  test("are those the list reaches back to and lacks", () => {
    const list = listOf([[9, 7], "c1"]);
    expect(missingRows(list, [at(10), at(9), at(8), at(1)]).map((row) => row.id)).toEqual(["id-10", "id-8"]);
  });
});

test("removeRows takes rows out of every page", () => {
  expect(ids(removeRows(listOf([[9, 7], "c1"], [[5], null]), ["id-7", "id-5"]))).toEqual(["id-9"]);
});
