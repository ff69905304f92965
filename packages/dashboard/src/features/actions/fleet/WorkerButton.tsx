import { useState } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import type { Capability } from "../requests/able.ts";
import { useAble } from "../requests/use-act.ts";
import { WorkerDialog } from "./WorkerDialog.tsx";
import type { ControlledWorker, WorkerAct } from "./worker-acts.ts";

interface WorkerButtonProps {
  slug: string;
  worker: ControlledWorker;
  act: WorkerAct;
  words: string;
  capability: Capability;
}

export function WorkerButton({ slug, worker, act, words, capability }: WorkerButtonProps) {
  const { reason } = useAble(slug, { engine: worker.engine, capability });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        {words}
      </HeldButton>
      {isAsked ? <WorkerDialog slug={slug} worker={worker} act={act} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
