import type { ReactNode } from "react";
import controls from "./controls.module.css";

interface HeldButtonProps {
  /** Why it cannot be pressed; null when it can. */
  reason: string | null;
  isMain?: boolean;
  isDanger?: boolean;
  onAct: () => void;
  children: ReactNode;
}

/** A button that stays where it is while it cannot be pressed, and says why. */
export function HeldButton({ reason, isMain = false, isDanger = false, onAct, children }: HeldButtonProps) {
  const look = isDanger ? controls.danger : isMain ? controls.pri : "";
  return (
    <button
      type="button"
      className={`${controls.btn} ${look}`}
      aria-disabled={reason !== null}
      title={reason ?? undefined}
      onClick={() => reason === null && onAct()}
    >
      {children}
    </button>
  );
}
