import type { ReactNode } from "react";
import controls from "../controls.module.css";
import { Button } from "./Button.tsx";
import { useWaitSeconds } from "./RetryButton.tsx";

interface ActButtonProps {
  /** The error of the last attempt. If rate-limited, the button counts down and is disabled until then. */
  error: unknown;
  isBusy: boolean;
  /** Why it is disabled; null when enabled. */
  reason?: string | null;
  isDanger?: boolean;
  /** Without it, the button submits its form. */
  onAct?: () => void;
  className?: string | undefined;
  children: ReactNode;
}

/** The primary button of a form or dialog. Disabled while the request runs or the server asks to wait. */
export function ActButton({ error, isBusy, reason, isDanger = false, onAct, className, children }: ActButtonProps) {
  const waitSeconds = useWaitSeconds(error);
  return (
    <>
      {/* Shown above the buttons in a dialog's footer. */}
      {reason === undefined ? null : (
        <p className={controls.why} role="status">
          {reason}
        </p>
      )}
      <Button
        type={onAct ? "button" : "submit"}
        variant={isDanger ? "danger" : "main"}
        size={className === undefined ? "big" : undefined}
        className={className}
        disabledReason={reason ?? null}
        isPending={isBusy || waitSeconds > 0}
        onClick={onAct && (() => onAct())}
      >
        {waitSeconds > 0 ? `Wait ${waitSeconds} s` : children}
      </Button>
    </>
  );
}
