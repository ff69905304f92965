import type { Queue } from "@svc/client";
import { lazy, Suspense, useState } from "react";
import { HeldButton } from "../../ui/HeldButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useAble } from "./use-act.ts";

const PurgeDialog = lazy(() => import("./PurgeDialog.tsx").then((part) => ({ default: part.PurgeDialog })));

export function PurgeButton({ slug, queue }: { slug: string; queue: Queue }) {
  const { reason } = useAble(slug, { engine: queue.engine, capability: "purge_queue", role: "admin" });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        <Icon name="trash" />
        Purge
      </HeldButton>
      {isAsked ? (
        <Suspense fallback={null}>
          <PurgeDialog slug={slug} queue={queue} onClose={() => setAsked(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
