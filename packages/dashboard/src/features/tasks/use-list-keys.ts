import { useRouter } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useKeepRange } from "../../time-range.ts";
import { copyText } from "../../ui/CopyButton.tsx";
import { type KeyHelp, useKeys } from "../../ui/keys.ts";
import type { ColumnId } from "./columns.ts";
import type { ListRow } from "./task-pages.ts";
import type { Selection } from "./use-selection.ts";
import type { TaskList } from "./use-task-list.ts";

interface ListKeys {
  slug: string;
  list: TaskList;
  selection: Selection;
  current: ListRow | undefined;
  /** The task that a key without a current row is about: that of the drawer. */
  named: { engine: string; task_id: string } | undefined;
  isDrawerOpen: boolean;
  onMove: (step: number) => ListRow | undefined;
  onOpen: (row: ListRow) => void;
  onClose: () => void;
  onFilter: (row: ListRow, column: ColumnId, isText: boolean) => void;
  onInput: (row: ListRow) => void;
}

const help: KeyHelp = {
  title: "Task list",
  says: [
    ["/", "filter"],
    ["j, k", "next, previous task"],
    ["J, K", "select on the way"],
    ["x", "select this task"],
    ["Enter", "open it beside the list"],
    ["o", "open its page"],
    ["u", "back to the list"],
    ["e", "show what it was given"],
    ["f", "filter by the cell; with Alt find its text"],
    ["y", "copy its id"],
    ["n", "show new tasks"],
    ["Escape", "close, or clear the selection"],
  ],
};

/** The keys of the task list. */
export function useListKeys(keys: ListKeys): void {
  const { slug, list, selection, current, named, isDrawerOpen } = keys;
  const router = useRouter();
  const keepRange = useKeepRange();
  const extend = (step: number) => {
    const next = keys.onMove(step);
    selection.add([current, next].filter((row) => row !== undefined));
  };
  useKeys(
    {
      j: () => keys.onMove(1),
      k: () => keys.onMove(-1),
      J: () => extend(1),
      K: () => extend(-1),
      x: () => current && selection.tick(current, false),
      n: () => list.freshCount > 0 && list.showFresh(),
      o: () => named && router.history.push(keepRange(paths.task(slug, named.engine, named.task_id))),
      y: () => named && void copyText(named.task_id),
      e: () => current && keys.onInput(current),
      f: () => {
        const meant = pointedCell(list.rows) ?? (current && { row: current, column: "queue" as const });
        if (meant) keys.onFilter(meant.row, meant.column, false);
      },
      u: () => isDrawerOpen && keys.onClose(),
      Enter: (event) => {
        // On a link or button the key is theirs.
        if (current && !(event.target as Element).closest("a, button, input, summary")) keys.onOpen(current);
      },
      Escape: () => (isDrawerOpen ? keys.onClose() : selection.set([])),
    },
    help,
  );
}

/** The cell that has the focus, or else the one under the pointer. */
export function pointedCell(rows: readonly ListRow[]): { row: ListRow; column: ColumnId } | null {
  const inRow = "[role=row] [data-col]";
  const cell =
    document.activeElement?.closest<HTMLElement>(inRow) ?? document.querySelector<HTMLElement>(`${inRow}:hover`);
  const id = cell?.closest("[role=row]")?.id.replace(/^task-/, "");
  const row = rows.find((one) => one.id === id);
  return cell && row ? { row, column: cell.dataset.col as ColumnId } : null;
}
