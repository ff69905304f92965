import { lazy, Suspense, useState } from "react";
import controls from "../../../ui/controls.module.css";
import { Bones } from "../../../ui/panels/Feedback.tsx";
import panel from "../../../ui/panels/panel.module.css";
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
    <section className={panel.panel} id="commands" aria-labelledby="h-commands">
      <header>
        <h2 id="h-commands">Its commands</h2>
        <span className="t3">asked from here, by anyone</span>
      </header>
      {isAsked || isOpen ? (
        <Suspense fallback={<Bones rows={3} label="Loading commands" />}>
          <AskedOfTask slug={slug} task={task} />
        </Suspense>
      ) : (
        <p className={css.empty}>
          <button type="button" className={controls.btn} onClick={() => setOpen(true)}>
            Look for its commands
          </button>
        </p>
      )}
    </section>
  );
}
