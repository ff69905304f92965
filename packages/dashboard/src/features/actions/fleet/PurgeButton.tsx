import type { Queue } from "@svc/client";
import { useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { useAble } from "../requests/use-act.ts";
import { PurgeDialog } from "./PurgeDialog.tsx";

export function PurgeButton({ slug, queue }: { slug: string; queue: Queue }) {
  const { reason } = useAble(slug, { engine: queue.engine, capability: "purge_queue", role: "admin" });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button disabledReason={reason} onClick={() => setAsked(true)} icon="trash">
        Purge
      </Button>
      {isAsked ? <PurgeDialog slug={slug} queue={queue} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
