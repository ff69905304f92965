import { lazy, Suspense } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import panel from "../../../ui/panels/panel.module.css";
import css from "../../workers/workers.module.css";
import { type ControlledWorker, workerActs } from "./worker-acts.ts";

const WorkerButton = lazy(() => import("./WorkerButton.tsx").then((part) => ({ default: part.WorkerButton })));

/** What can be done with a worker; each asks first. */
export function WorkerControls({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  return (
    <section className={panel.panel} aria-labelledby="h-control">
      <header>
        <h2 id="h-control">Control</h2>
      </header>
      <div className={`${panel.inner} ${css.controls}`}>
        {workerActs.map(({ act, words, capability }) => (
          <Suspense key={act} fallback={<HeldButton {...loading}>{words}</HeldButton>}>
            <WorkerButton slug={slug} worker={worker} act={act} words={words} capability={capability} />
          </Suspense>
        ))}
      </div>
    </section>
  );
}

/** Of a button whose part is on its way. */
const loading = { reason: "One moment", onAct: () => {} };
