import type { Queue } from "@svc/client";
import { useState } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { useAble } from "../requests/use-act.ts";
import { PurgeDialog } from "./PurgeDialog.tsx";

export function PurgeButton({ slug, queue }: { slug: string; queue: Queue }) {
  const { reason } = useAble(slug, { engine: queue.engine, capability: "purge_queue", role: "admin" });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        <Icon name="trash" />
        Purge
      </HeldButton>
      {isAsked ? <PurgeDialog slug={slug} queue={queue} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
