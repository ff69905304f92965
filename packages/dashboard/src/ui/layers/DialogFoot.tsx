import type { ReactNode } from "react";
import { Button } from "../buttons/Button.tsx";
import { dialogFoot } from "./Layers.tsx";

export type Leave = "Cancel" | "Stop" | "Close";

interface DialogFootProps {
  /** The button that leaves: Cancel, or Close once there is nothing left to do here. */
  leave?: Leave | undefined;
  onLeave: () => void;
  /** The buttons that act. */
  children?: ReactNode;
}

/** The buttons at the end of a dialog. */
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
