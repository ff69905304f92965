import { useEffect, useLayoutEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { copyText } from "../../../ui/buttons/CopyButton.tsx";
import { MenuEntry } from "../../../ui/buttons/MenuEntry.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { menuItem, menuLabel, menuLayer, menuRule, putUnder, walkEntries } from "../../../ui/layers/Layers.tsx";
import { idTail, nameText } from "../../../ui/time/format.ts";
import type { TaskAct } from "../../actions/tasks/TaskCommands.tsx";
import { useTaskReasons } from "../../actions/tasks/task-reasons.ts";
import { copiesOf } from "../detail/head/task-copies.ts";
import type { TasksSearch } from "../filters/tasks-search.ts";
import type { ListRow } from "../following/task-pages.ts";
import { taskAddress, taskKey } from "../task-address.ts";

interface RowMenuProps {
  slug: string;
  row: ListRow;
  /** The list's address, which the page of a task keeps. */
  search: TasksSearch;
  isTicked: boolean;
  /** What it stands under. */
  anchor: HTMLElement;
  onOpen: () => void;
  onAct: (act: TaskAct) => void;
  onTick: () => void;
  onFilter: () => void;
  onClose: () => void;
}

/** What can be done with one row of the task list. There is one for all rows, drawn while it is open. */
export function RowMenu(props: RowMenuProps) {
  const { slug, row, anchor, onClose } = props;
  const layer = useRef<HTMLDivElement>(null);
  const reasons = useTaskReasons(slug, row);
  useLayoutEffect(() => {
    const element = layer.current;
    if (element === null) return;
    element.showPopover();
    putUnder(anchor, element, false);
    element.querySelector<HTMLElement>("[data-entry]")?.focus();
  }, [anchor]);
  useEffect(() => {
    const element = layer.current;
    const toggled = (event: Event) => {
      if ((event as ToggleEvent).newState === "closed") onClose();
    };
    element?.addEventListener("toggle", toggled);
    return () => element?.removeEventListener("toggle", toggled);
  }, [onClose]);
  const name = nameText(row.name);
  return (
    <div
      ref={layer}
      popover="auto"
      role="group"
      className={menuLayer}
      aria-label={`Actions for ${name} ${idTail(row.task_id)}`}
      onKeyDown={walkEntries}
      onClick={(event) => {
        if ((event.target as Element).closest("[data-entry]:not([data-stay])")) layer.current?.hidePopover();
      }}
    >
      <p className={menuLabel}>
        {name} <span className="mono">{idTail(row.task_id)}</span>
      </p>
      <MenuEntry icon="tasks" onAct={props.onOpen}>
        Open beside the list
      </MenuEntry>
      <AppLink className={menuItem} data-entry="" href={taskAddress(slug, row.engine, taskKey(row), props.search)}>
        <Icon name="open" />
        Open its page
      </AppLink>
      {row.fingerprint ? (
        <AppLink className={menuItem} data-entry="" href={paths.issue(slug, row.fingerprint)}>
          <Icon name="issues" />
          Open its issue
        </AppLink>
      ) : null}
      <hr className={menuRule} />
      <MenuEntry icon="retry" reason={reasons.retry} onAct={() => props.onAct("retry")}>
        Retry
      </MenuEntry>
      <MenuEntry icon="x" reason={reasons.cancel} onAct={() => props.onAct("cancel")}>
        Cancel
      </MenuEntry>
      <hr className={menuRule} />
      <MenuEntry icon="check" onAct={props.onTick}>
        {props.isTicked ? "Take out of the selection" : "Select"}
      </MenuEntry>
      <MenuEntry icon="funnel" onAct={props.onFilter}>
        Only tasks of this name
      </MenuEntry>
      <MenuEntry icon="copy" onAct={() => void copyText(row.task_id)}>
        Copy id
      </MenuEntry>
      {copiesOf(slug, row.engine, taskKey(row)).map(({ words, text }) => (
        <MenuEntry key={words} icon="copy" onAct={() => void copyText(text())}>
          {words}
        </MenuEntry>
      ))}
    </div>
  );
}
