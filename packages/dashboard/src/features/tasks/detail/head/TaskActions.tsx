import type { Task } from "@svc/client";
import { useEffect, useState } from "react";
import { Button } from "../../../../ui/buttons/Button.tsx";
import { copyText } from "../../../../ui/buttons/CopyButton.tsx";
import { MenuEntry } from "../../../../ui/buttons/MenuEntry.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { Menu, menuRule } from "../../../../ui/layers/Layers.tsx";
import { count } from "../../../../ui/time/format.ts";
import {
  ActionButton,
  ActionEntry,
  cancelTask,
  limitName,
  retryTask,
  retryWithChanges,
  taskSubject,
} from "../../../actions/index.ts";
import css from "../task.module.css";
import type { ListPlace } from "./list-place.ts";
import { copiesOf } from "./task-copies.ts";

/** The actions on one task: buttons for frequent ones, a menu for the rest. */
export function TaskActions({ slug, task }: { slug: string; task: Task }) {
  const subject = taskSubject(task);
  const [status, setStatus] = useState("");
  useEffect(() => {
    if (status === "") return;
    const timer = setTimeout(() => setStatus(""), 1600);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = async (text: string, what: string) =>
    setStatus((await copyText(text)) ? `Copied ${what}` : "Couldn't copy");
  const copies = [
    { label: "Copy id", what: "the id", text: () => task.task_id },
    ...copiesOf(slug, task.engine, task.task_id, task),
  ];
  return (
    <div className={css.commands}>
      <ActionButton slug={slug} action={retryTask} subject={subject} variant="main" />
      <ActionButton slug={slug} action={cancelTask} subject={subject} />
      <Menu
        button={<Icon name={status.startsWith("Copied") ? "check" : "more"} />}
        variant="icon"
        buttonLabel="More actions"
        label="More actions"
      >
        <ActionEntry slug={slug} action={retryWithChanges} subject={subject} />
        <ActionEntry slug={slug} action={limitName} subject={subject} />
        <hr className={menuRule} />
        {copies.map(({ label, what, text }) => (
          <MenuEntry key={label} icon="copy" onAct={() => void copy(text(), what)}>
            {label}
          </MenuEntry>
        ))}
      </Menu>
      <span className="vh" role="status">
        {status}
      </span>
    </div>
  );
}

/** Buttons for the previous and next task in the list, with the position in it. */
export function ListSteps({ place, onMove }: { place: ListPlace; onMove: (step: number) => void }) {
  const { index, total, previous, next } = place;
  const none = index < 0 ? "Not in the loaded part of the list" : null;
  return (
    <span className={css.pn}>
      <Step
        name="Previous task in the list"
        keyName="k"
        icon="prev"
        reason={previous ? null : (none ?? "This is the first task in the list")}
        onStep={() => onMove(-1)}
      />
      {index < 0 ? null : (
        <span className="t3 lg">
          {count(index + 1)}
          {total === null ? "" : ` of ${count(Math.max(total, index + 1))}`}
        </span>
      )}
      <Step
        name="Next task in the list"
        keyName="j"
        icon="right"
        reason={next ? null : (none ?? "This is the last task in the list")}
        onStep={() => onMove(1)}
      />
    </span>
  );
}

interface StepProps {
  name: string;
  keyName: string;
  icon: string;
  /** Why the button is disabled; null if it isn't. */
  reason: string | null;
  onStep: () => void;
}

function Step({ name, keyName, icon, reason, onStep }: StepProps) {
  return (
    <Button
      variant="icon"
      icon={icon}
      aria-label={name}
      disabledReason={reason}
      title={`${name} (${keyName})`}
      onClick={onStep}
    />
  );
}
