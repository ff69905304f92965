import type { Command } from "@svc/client";
import { lazy, Suspense, useState } from "react";
import { HeldButton } from "../../../ui/buttons/HeldButton.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { useAble, useMayNot } from "../requests/use-act.ts";
import { requestOf } from "./send-again.ts";

const SendAgainDialog = lazy(() => import("./SendAgainDialog.tsx").then((part) => ({ default: part.SendAgainDialog })));

/** Makes a command that did not succeed once more, under a key of its own. */
export function SendAgain({ slug, command }: { slug: string; command: Command }) {
  const [isAsked, setAsked] = useState(false);
  const again = requestOf(command);
  const mayNot = useMayNot(slug);
  // Without a request there is nobody to ask, and the reason is another one.
  const able = useAble(slug, { engine: again?.engine ?? "", capability: again?.capability ?? "retry_task" });
  const reason =
    mayNot ?? (again === null ? "What it asked for is not told whole: ask for it from its target" : able.reason);
  return (
    <>
      <HeldButton reason={reason} onAct={() => setAsked(true)}>
        <Icon name="retry" />
        Send again
      </HeldButton>
      {isAsked ? (
        <Suspense fallback={null}>
          <SendAgainDialog slug={slug} command={command} onClose={() => setAsked(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
