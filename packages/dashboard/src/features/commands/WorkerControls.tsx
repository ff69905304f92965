import type { Worker } from "@svc/client";
import { lazy, Suspense, useState } from "react";
import { HeldButton } from "../../ui/HeldButton.tsx";
import panel from "../../ui/panel.module.css";
import type { Capability } from "./able.ts";
import css from "./commands.module.css";
import { useAble } from "./use-act.ts";

const WorkerDialog = lazy(() => import("./WorkerDialog.tsx").then((part) => ({ default: part.WorkerDialog })));

export type ControlledWorker = Pick<Worker, "name" | "engine" | "queues" | "concurrency">;

const acts = [
  { act: "restart", words: "Restart", capability: "restart_worker" },
  { act: "pool", words: "Resize pool", capability: "pool_grow" },
  { act: "add", words: "Add consumer", capability: "add_consumer" },
  { act: "cancel", words: "Cancel consumer", capability: "cancel_consumer" },
  { act: "rate", words: "Limit rate", capability: "rate_limit" },
] as const satisfies readonly { act: string; words: string; capability: Capability }[];
export type WorkerAct = (typeof acts)[number]["act"];

/** What can be done with a worker; each asks first. */
export function WorkerControls({ slug, worker }: { slug: string; worker: ControlledWorker }) {
  const [asked, setAsked] = useState<WorkerAct | null>(null);
  return (
    <section className={panel.panel} aria-labelledby="h-control">
      <header>
        <h2 id="h-control">Control</h2>
      </header>
      <div className={`${panel.inner} ${css.acts}`}>
        {acts.map((one) => (
          <Control key={one.act} {...one} slug={slug} engine={worker.engine} onAct={() => setAsked(one.act)} />
        ))}
      </div>
      {asked ? (
        <Suspense fallback={null}>
          <WorkerDialog slug={slug} worker={worker} act={asked} onClose={() => setAsked(null)} />
        </Suspense>
      ) : null}
    </section>
  );
}

interface ControlProps {
  slug: string;
  engine: string;
  words: string;
  capability: Capability;
  onAct: () => void;
}

function Control({ slug, engine, words, capability, onAct }: ControlProps) {
  const { reason } = useAble(slug, { engine, capability });
  return (
    <HeldButton reason={reason} onAct={onAct}>
      {words}
    </HeldButton>
  );
}
