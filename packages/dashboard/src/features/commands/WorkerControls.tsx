import type { Worker } from "@svc/client";
import { lazy, Suspense } from "react";
import { HeldButton } from "../../ui/HeldButton.tsx";
import panel from "../../ui/panel.module.css";
import css from "../workers/workers.module.css";
import type { Capability } from "./able.ts";

export type ControlledWorker = Pick<Worker, "name" | "engine" | "queues" | "concurrency">;

const acts = [
  { act: "restart", words: "Restart", capability: "restart_worker" },
  { act: "pool", words: "Resize pool", capability: "pool_grow" },
  { act: "add", words: "Add consumer", capability: "add_consumer" },
  { act: "cancel", words: "Cancel consumer", capability: "cancel_consumer" },
  { act: "rate", words: "Limit rate", capability: "rate_limit" },
] as const satisfies readonly { act: string; words: string; capability: Capability }[];
export type WorkerAct = (typeof acts)[number]["act"];

const WorkerButton = lazy(() => import("./WorkerButton.tsx").then((part) => ({ default: part.WorkerButton })));

/** What can be done with a worker; each asks first. */
export function WorkerControls({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  return (
    <section className={panel.panel} aria-labelledby="h-control">
      <header>
        <h2 id="h-control">Control</h2>
      </header>
      <div className={`${panel.inner} ${css.controls}`}>
        {acts.map(({ act, words, capability }) => (
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
