import type { Queue } from "@svc/client";
import { useState } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import { useAble } from "../requests/use-act.ts";
import { LimitQueueDialog } from "./LimitQueueDialog.tsx";

export function LimitQueueButton({ slug, queue }: { slug: string; queue: Queue }) {
  const { reason } = useAble(slug, { engine: queue.engine, capability: "rate_limit_of_queue" });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        Limit rate
      </HeldButton>
      {isAsked ? <LimitQueueDialog slug={slug} queue={queue} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
