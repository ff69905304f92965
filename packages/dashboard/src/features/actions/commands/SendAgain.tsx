import type { Command } from "@svc/client";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
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
      <Button disabledReason={reason} onClick={() => setAsked(true)} icon="retry">
        Send again
      </Button>
      {isAsked ? (
        <Suspense fallback={null}>
          <SendAgainDialog slug={slug} command={command} onClose={() => setAsked(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
