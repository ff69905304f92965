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

  test("replaces a row in place and keeps the other pages unchanged", () => {
    const patched = patchRows(list, [at(5, "id-5", { state: "failure", updated_at: "2026-11-20T10:00:09.000Z" })]);
    expect(ids(patched)).toEqual(ids(list));
    expect(rowsOf(patched)[2]?.state).toBe("failure");
    expect(patched.pages[0]).toBe(list.pages[0]);
  });

  test("does not replace a newer row with an older one", () => {
    const late = at(5, "id-5", { state: "started", updated_at: "2026-11-20T09:00:00.000Z" });
    expect(patchRows(list, [late])).toBe(list);
  });

  test("returns the same list if it contains none of the rows", () => {
    expect(patchRows(list, [at(100)])).toBe(list);
  });
});

describe("insertRows", () => {
  test("inserts each row in order", () => {
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

  test("leaves rows below the loaded ones to paging, unless the list is complete", () => {
    expect(ids(insertRows(listOf([[9, 7], "c1"]), [at(1)]))).toEqual(["id-9", "id-7"]);
    expect(ids(insertRows(listOf([[9, 7], null]), [at(1)]))).toEqual(["id-9", "id-7", "id-1"]);
  });

  test("fills an empty list", () => {
    expect(ids(insertRows(listOf([[], null]), [at(1), at(2)]))).toEqual(["id-2", "id-1"]);
  });

  test("keeps rows distinct and in order for any input", () => {
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

test("insertRows drops whole pages at the end above the maximum number of rows", () => {
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

  test("adds the next page and keeps rows pushed during the read", () => {
    const now = insertRows(patchRows(begun, [at(7, "id-7", { state: "failure" })]), [at(10)]);
    const joined = mergeList(now, answer);
    expect(ids(joined)).toEqual(["id-10", "id-9", "id-7", "id-5"]);
    expect(rowsOf(joined)[2]?.state).toBe("failure");
    expect(joined.pageParams).toEqual([null, "c1"]);
  });

  test("drops a page of a list that was restarted during the read", () => {
    const now = listOf([[50, 40], "c9"]);
    expect(mergeList(now, answer)).toBe(now);
  });

  test("accepts every change of the list itself", () => {
    const changed = removeRows(answer, ["id-5"]);
    expect(mergeList(answer, changed)).toBe(changed);
    expect(mergeList(undefined, begun)).toBe(begun);
  });
});

test("isSearchIdle is true after every tenth empty page", () => {
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
  test("include rows in the range that a search without matches covered", () => {
    const list = listOf([[], "c1"]);
    for (const page of list.pages) page.reached = at(5).received_at;
    expect(missingRows(list, [at(6), at(4)]).map((row) => row.id)).toEqual(["id-6"]);
  });

  test("are those missing from the range that the list covers", () => {
    const list = listOf([[9, 7], "c1"]);
    expect(missingRows(list, [at(10), at(9), at(8), at(1)]).map((row) => row.id)).toEqual(["id-10", "id-8"]);
  });
});

test("removeRows removes rows from every page", () => {
  expect(ids(removeRows(listOf([[9, 7], "c1"], [[5], null]), ["id-7", "id-5"]))).toEqual(["id-9"]);
});
