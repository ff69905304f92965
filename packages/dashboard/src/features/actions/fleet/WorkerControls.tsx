import { lazy, Suspense } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import css from "./fleet.module.css";
import type { ControlledWorker } from "./worker-acts.ts";

const WorkerButtons = lazy(() => import("./WorkerButtons.tsx").then((part) => ({ default: part.WorkerButtons })));

/** The actions on a worker; each asks for confirmation. */
export function WorkerControls({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  return (
    <PanelFrame title="Control">
      <div className={`${panel.inner} ${css.controls}`}>
        <Suspense fallback={<Button disabledReason="Loading">Restart</Button>}>
          <WorkerButtons slug={slug} worker={worker} />
        </Suspense>
      </div>
    </PanelFrame>
  );
}
