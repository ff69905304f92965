import { useEffect, useEffectEvent } from "react";
import { useGo } from "../../../ui/buttons/AppLink.tsx";
import { copyText } from "../../../ui/buttons/CopyButton.tsx";
import { isTyped, type KeyHelp, useKeys } from "../../../ui/layers/keys.ts";
import { taskKeys } from "../../actions/index.ts";
import { type ListRow, type TasksSearch, taskAddress } from "../../task-data/index.ts";
import type { TaskList } from "../following/use-task-list.ts";
import type { ColumnId } from "../views/columns.ts";
import type { Selection } from "./use-selection.ts";

interface ListKeys {
  slug: string;
  /** The list's URL parameters, which task pages keep for moving through the list. */
  search: TasksSearch;
  list: TaskList;
  selection: Selection;
  current: ListRow | undefined;
  /** The task that keys act on without a current row: the one in the drawer. */
  named: { engine: string; task_id: string } | undefined;
  isDrawerOpen: boolean;
  onMove: (step: number) => ListRow | undefined;
  onOpen: (row: ListRow) => void;
  onClose: () => void;
  onFilter: (row: ListRow, column: ColumnId, isText: boolean) => void;
  onInput: (row: ListRow) => void;
  onMenu: (row: ListRow, anchor: HTMLElement) => void;
}

const help: KeyHelp = {
  title: "Task list",
  entries: [
    ["/", "Filter"],
    ["1, 2", "First and second view, up to 9"],
    ["j, k", "Next and previous task"],
    ["J, K", "Extend the selection"],
    ["x", "Select this task"],
    ["Enter", "Open in the side panel"],
    ["o", "Open the full page"],
    ["u", "Back to the list"],
    ["e", "Show its input"],
    ["f", "Filter by this cell; Alt: search its text"],
    ["y", "Copy the task id"],
    ["r, c", "Retry or cancel the task"],
    ["m", "Open the actions menu"],
    ["n", "Show new tasks"],
    ["Escape", "Close, or clear the selection"],
  ],
};

/** The keys of the task list. */
export function useListKeys(keys: ListKeys): void {
  const { slug, search, list, selection, current, named, isDrawerOpen } = keys;
  const go = useGo();
  const extend = (step: number) => {
    const next = keys.onMove(step);
    selection.add([current, next].filter((row) => row !== undefined));
  };
  const targetCell = (otherwise: ColumnId) =>
    pointedCell(list.rows) ?? (current && { row: current, column: otherwise });
  useTextFilterKey(() => {
    const target = targetCell("name");
    if (target) keys.onFilter(target.row, target.column, true);
  });
  const openMenu = (event: KeyboardEvent) => {
    const row = current && document.getElementById(`task-${current.id}`);
    if (!current || !row) return;
    event.preventDefault();
    keys.onMenu(current, row);
  };
  useKeys(
    {
      j: () => keys.onMove(1),
      k: () => keys.onMove(-1),
      J: () => extend(1),
      K: () => extend(-1),
      x: () => current && selection.toggle(current, false),
      n: () => list.pendingCount > 0 && list.showPending(),
      o: () => named && go(taskAddress(slug, named.engine, named.task_id, search)),
      y: () => named && void copyText(named.task_id),
      ...taskKeys(named && { engine: named.engine, taskId: named.task_id, state: undefined }),
      m: openMenu,
      ContextMenu: openMenu,
      e: () => current && keys.onInput(current),
      f: () => {
        const target = targetCell("queue");
        if (target) keys.onFilter(target.row, target.column, false);
      },
      u: () => isDrawerOpen && keys.onClose(),
      Enter: (event) => {
        // Links and buttons handle Enter themselves.
        if (current && !(event.target as Element).closest("a, button, input, summary")) keys.onOpen(current);
      },
      Escape: () => (isDrawerOpen ? keys.onClose() : selection.set([])),
    },
    help,
  );
}

/** Alt+F searches the text of the target cell, unless focus is in a text field. */
function useTextFilterKey(onPress: () => void): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (
      !event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.code !== "KeyF" ||
      event.defaultPrevented ||
      isTyped(event)
    )
      return;
    event.preventDefault();
    onPress();
  });
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/** The focused cell, else the one under the pointer. */
function pointedCell(rows: readonly ListRow[]): { row: ListRow; column: ColumnId } | null {
  const inRow = "[role=row] [data-col]";
  const cell =
    document.activeElement?.closest<HTMLElement>(inRow) ?? document.querySelector<HTMLElement>(`${inRow}:hover`);
  const id = cell?.closest("[role=row]")?.id.replace(/^task-/, "");
  const row = rows.find((one) => one.id === id);
  return cell && row ? { row, column: cell.dataset.col as ColumnId } : null;
}
