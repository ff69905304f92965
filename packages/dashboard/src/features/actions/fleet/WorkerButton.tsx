import { useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
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
      <Button disabledReason={reason} onClick={() => setAsked(true)}>
        {words}
      </Button>
      {isAsked ? <WorkerDialog slug={slug} worker={worker} act={act} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
