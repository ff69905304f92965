import { workerActions } from "./fleet-actions.tsx";
import { engineName, SupportedActions } from "./SupportedActions.tsx";
import type { ControlledWorker } from "./worker-acts.ts";

export function WorkerButtons({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  return <SupportedActions slug={slug} actions={workerActions} subject={worker} none={<NoControl {...worker} />} />;
}

/** How to enable worker control, for engines that need setup. */
const guides: Readonly<Record<string, [call: string, page: string]>> = {
  bullmq: ["controlBullmqWorkers", "docs/guides/bullmq.md"],
};

function NoControl({ engine }: { engine: string }) {
  const guide = guides[engine];
  return (
    <p className="t2">
      {engineName(engine)} workers can't be controlled from here.
      {guide === undefined ? null : (
        <>
          {" "}
          To enable control, call <code>{guide[0]}</code> in the worker process. See “Running jobs and workers” in{" "}
          <code>{guide[1]}</code>.
        </>
      )}
    </p>
  );
}
