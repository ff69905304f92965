import type { ReactNode } from "react";
import { Button } from "../buttons/Button.tsx";
import { dialogFoot } from "./Layers.tsx";

export type Leave = "Cancel" | "Stop" | "Close";

interface DialogFootProps {
  /** The label of the dismiss button: Close once nothing is left to cancel. */
  leave?: Leave | undefined;
  onLeave: () => void;
  /** The action buttons. */
  children?: ReactNode;
}

/** The footer of a dialog. */
export function DialogFoot({ leave = "Cancel", onLeave, children }: DialogFootProps) {
  return (
    <div className={dialogFoot}>
      <Button size="big" onClick={onLeave}>
        {leave}
      </Button>
      {children}
    </div>
  );
}
