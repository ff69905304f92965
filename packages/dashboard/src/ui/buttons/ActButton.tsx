import type { ReactNode } from "react";
import controls from "../controls.module.css";
import { OffButton } from "./OffButton.tsx";
import { useWaitSeconds } from "./RetryButton.tsx";

interface ActButtonProps {
  /** Why the last try failed. Asked to wait, it counts down and does nothing until then. */
  error: unknown;
  isBusy: boolean;
  /** Why it cannot be pressed yet; null when it can. */
  reason?: string | null;
  isDanger?: boolean;
  /** Without it the button sends the form that it stands in. */
  onAct?: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** Does what a form or a dialog is for, and is pressed in vain while it is under way or the server asks to wait. */
export function ActButton({ error, isBusy, reason, isDanger = false, onAct, className, children }: ActButtonProps) {
  const waitSeconds = useWaitSeconds(error);
  return (
    <>
      {/* The foot of a dialog shows it over its buttons. */}
      {reason === undefined ? null : (
        <p className={controls.why} role="status">
          {reason}
        </p>
      )}
      <OffButton
        type={onAct ? "button" : "submit"}
        className={`${controls.btn} ${isDanger ? controls.danger : controls.pri} ${className ?? controls.big}`}
        isOff={isBusy || (reason ?? null) !== null || waitSeconds > 0}
        reason={reason ?? null}
        onAct={onAct}
      >
        {waitSeconds > 0 ? `Wait ${waitSeconds} s` : children}
      </OffButton>
    </>
  );
}
