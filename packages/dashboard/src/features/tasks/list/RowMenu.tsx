import { useEffect, useLayoutEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { copyText } from "../../../ui/buttons/CopyButton.tsx";
import { MenuEntry } from "../../../ui/buttons/MenuEntry.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { putUnder, walkEntries } from "../../../ui/layers/floating.ts";
import { menuItem, menuLabel, menuLayer, menuRule } from "../../../ui/layers/Layers.tsx";
import { idTail, nameText } from "../../../ui/time/format.ts";
import { ActionEntry, cancelTask, retryTask, taskSubject } from "../../actions/index.ts";
import { type ListRow, type TasksSearch, taskAddress, taskKey } from "../../task-data/index.ts";
import { copiesOf } from "../detail/head/task-copies.ts";

interface RowMenuProps {
  slug: string;
  row: ListRow;
  /** The list's URL parameters, which the task page keeps. */
  search: TasksSearch;
  isSelected: boolean;
  /** The element that the menu opens below. */
  anchor: HTMLElement;
  onOpen: () => void;
  onSelect: () => void;
  onFilter: () => void;
  onClose: () => void;
}

/** The actions menu of a task row. All rows share one menu, rendered only while open. */
export function RowMenu(props: RowMenuProps) {
  const { slug, row, anchor, onClose } = props;
  const layer = useRef<HTMLDivElement>(null);
  const subject = taskSubject(row);
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
        Open in side panel
      </MenuEntry>
      <AppLink className={menuItem} data-entry="" href={taskAddress(slug, row.engine, taskKey(row), props.search)}>
        <Icon name="open" />
        Open full page
      </AppLink>
      {row.fingerprint ? (
        <AppLink className={menuItem} data-entry="" href={paths.issue(slug, row.fingerprint)}>
          <Icon name="issues" />
          View issue
        </AppLink>
      ) : null}
      <hr className={menuRule} />
      <ActionEntry slug={slug} action={retryTask} subject={subject} />
      <ActionEntry slug={slug} action={cancelTask} subject={subject} />
      <hr className={menuRule} />
      <MenuEntry icon="check" onAct={props.onSelect}>
        {props.isSelected ? "Deselect" : "Select"}
      </MenuEntry>
      <MenuEntry icon="funnel" onAct={props.onFilter}>
        Show only this task name
      </MenuEntry>
      <MenuEntry icon="copy" onAct={() => void copyText(row.task_id)}>
        Copy id
      </MenuEntry>
      {copiesOf(slug, row.engine, taskKey(row)).map(({ label, text }) => (
        <MenuEntry key={label} icon="copy" onAct={() => void copyText(text())}>
          {label}
        </MenuEntry>
      ))}
    </div>
  );
}
