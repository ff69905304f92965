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

/** What can be done with one task: buttons for what is done often, one menu for the rest. */
export function TaskActions({ slug, task }: { slug: string; task: Task }) {
  const subject = taskSubject(task);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 1600);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (text: string, what: string) =>
    setSaid((await copyText(text)) ? `Copied ${what}` : "The browser refused to copy");
  const copies = [
    { words: "Copy id", what: "the id", text: () => task.task_id },
    ...copiesOf(slug, task.engine, task.task_id, task),
  ];
  return (
    <div className={css.commands}>
      <ActionButton slug={slug} action={retryTask} subject={subject} variant="main" />
      <ActionButton slug={slug} action={cancelTask} subject={subject} />
      <Menu
        button={<Icon name={said.startsWith("Copied") ? "check" : "more"} />}
        variant="icon"
        buttonLabel="More actions"
        label="More actions"
      >
        <ActionEntry slug={slug} action={retryWithChanges} subject={subject} />
        <ActionEntry slug={slug} action={limitName} subject={subject} />
        <hr className={menuRule} />
        {copies.map(({ words, what, text }) => (
          <MenuEntry key={words} icon="copy" onAct={() => void copy(text(), what)}>
            {words}
          </MenuEntry>
        ))}
      </Menu>
      <span className="vh" role="status">
        {said}
      </span>
    </div>
  );
}

/** Back and forth in the list's order, with the place in it. */
export function ListSteps({ place, onMove }: { place: ListPlace; onMove: (step: number) => void }) {
  const { index, total, previous, next } = place;
  const none = index < 0 ? "Not among the loaded rows of the list" : null;
  return (
    <span className={css.pn}>
      <Step
        name="Previous task in the list"
        keyName="k"
        icon="prev"
        reason={previous ? null : (none ?? "First of the list")}
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
        reason={next ? null : (none ?? "Last of the list")}
        onStep={() => onMove(1)}
      />
    </span>
  );
}

interface StepProps {
  name: string;
  keyName: string;
  icon: string;
  /** Why there is no such step. */
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
