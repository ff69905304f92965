import { lazy, Suspense, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Bones } from "../../../ui/panels/Feedback.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import css from "./task.module.css";

const AskedOfTask = lazy(() =>
  import("../../actions/tasks/AskedOfTask.tsx").then((part) => ({ default: part.AskedOfTask })),
);

interface CommandsPartProps {
  slug: string;
  task: { engine: string; task_id: string };
  /** The address or the place asks for them; else they are looked for on a press: most visits are not about them. */
  isAsked: boolean;
}

/** What was asked of a task from here, by whomever. */
export function CommandsPart({ slug, task, isAsked }: CommandsPartProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <PanelFrame id="commands" title="Its commands" note="asked from here, by anyone">
      {isAsked || isOpen ? (
        <Suspense fallback={<Bones rows={3} label="Loading commands" />}>
          <AskedOfTask slug={slug} task={task} />
        </Suspense>
      ) : (
        <p className={css.empty}>
          <Button onClick={() => setOpen(true)}>Look for its commands</Button>
        </p>
      )}
    </PanelFrame>
  );
}
