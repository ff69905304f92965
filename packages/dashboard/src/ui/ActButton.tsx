import type { ReactNode } from "react";
import controls from "./controls.module.css";
import { useWaitSeconds } from "./RetryButton.tsx";

interface ActButtonProps {
  /** Why the last try failed. Asked to wait, it counts down and does nothing until then. */
  error: unknown;
  isBusy: boolean;
  /** Why it cannot be pressed yet. */
  reason?: string | null;
  isDanger?: boolean;
  /** Without it the button sends the form that it stands in. */
  onAct?: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** Does what a form or a dialog is for, and is pressed in vain while it is under way or the server asks to wait. */
export function ActButton({ error, isBusy, reason = null, isDanger = false, onAct, ...rest }: ActButtonProps) {
  const waitSeconds = useWaitSeconds(error);
  const isOff = isBusy || reason !== null || waitSeconds > 0;
  return (
    <button
      type={onAct ? "button" : "submit"}
      className={`${controls.btn} ${isDanger ? controls.danger : controls.pri} ${rest.className ?? controls.big}`}
      // Not disabled: the focus must not be lost on the way.
      aria-disabled={isOff}
      title={reason ?? undefined}
      onClick={(event) => {
        // Enter in a field presses it too, so that this holds back the form.
        if (isOff) event.preventDefault();
        else onAct?.();
      }}
    >
      {waitSeconds > 0 ? `Wait ${waitSeconds} s` : rest.children}
    </button>
  );
}
