import type { ReactNode } from "react";
import { Button } from "../buttons/Button.tsx";
import { dialogFoot } from "./Layers.tsx";

interface DialogFootProps {
  /** The words of the button that leaves without doing anything. */
  leave: ReactNode;
  onLeave: () => void;
  /** The buttons that act. */
  children?: ReactNode;
}

/** The buttons at the end of a dialog. */
export function DialogFoot({ leave, onLeave, children }: DialogFootProps) {
  return (
    <div className={dialogFoot}>
      <Button size="big" onClick={onLeave}>
        {leave}
      </Button>
      {children}
    </div>
  );
}
