import type { Task } from "@svc/client";
import { useEffect, useState } from "react";
import { Button } from "../../../../ui/buttons/Button.tsx";
import { copyText } from "../../../../ui/buttons/CopyButton.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { Menu, menuItem } from "../../../../ui/layers/Layers.tsx";
import { count } from "../../../../ui/time/format.ts";
import css from "../task.module.css";
import type { ListPlace } from "./list-place.ts";
import { copiesOf } from "./task-copies.ts";

/** What can be taken away from a task as text. */
export function CopyMenu({ slug, task }: { slug: string; task: Task }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 1600);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (text: string, what: string) =>
    setSaid((await copyText(text)) ? `Copied ${what}` : "The browser refused to copy");
  return (
    <>
      <Menu
        button={<Icon name={said.startsWith("Copied") ? "check" : "more"} />}
        variant="icon"
        buttonLabel="More: copy this task"
        label="Copy this task"
      >
        {copiesOf(slug, task.engine, task.task_id, task).map(({ words, what, text }) => (
          <button key={words} type="button" className={menuItem} data-entry="" onClick={() => void copy(text(), what)}>
            <Icon name="copy" />
            {words}
          </button>
        ))}
      </Menu>
      <span className="vh" role="status">
        {said}
      </span>
    </>
  );
}

/** Back and forth in the list's order, with the place in it. */
export function ListSteps({ place, onMove }: { place: ListPlace; onMove: (step: number) => void }) {
  const { index, total, previous, next } = place;
  const none = index < 0 ? "It is not among the loaded rows of the list" : null;
  return (
    <span className={css.pn}>
      <Step
        name="Previous task in the list"
        keyName="k"
        icon="prev"
        reason={previous ? null : (none ?? "It is the first of the list")}
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
        reason={next ? null : (none ?? "It is the last of the list")}
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
