import { ApiProblem } from "@svc/client";
import type { ReactNode } from "react";
import { useNow } from "../time/ticker.ts";
import { Button } from "./Button.tsx";

// When each rate limit ends, computed when its error is first shown: the response only has a duration.
const ends = new WeakMap<ApiProblem, number>();

function endOf(error: unknown): number {
  if (!(error instanceof ApiProblem) || error.code !== "rate_limited") return 0;
  const known = ends.get(error);
  if (known !== undefined) return known;
  const end = Date.now() + (error.retryAfterSeconds ?? 60) * 1000;
  ends.set(error, end);
  return end;
}

/** Whole seconds until the server accepts the request again; 0 when it may be sent now. */
export function useWaitSeconds(error: unknown): number {
  const end = endOf(error);
  const isWaiting = end > Date.now();
  // Subscribed only while counting down.
  const now = useNow(isWaiting);
  return isWaiting ? Math.max(0, Math.ceil((end - Math.max(now, Date.now())) / 1000)) : 0;
}

interface RetryButtonProps {
  /** The error of the last attempt. If rate-limited, the button counts down and is disabled until then. */
  error: unknown;
  onRetry: () => void;
  /** Inline, it is a link without an icon. */
  variant?: "link";
  /** Its style in a menu. */
  className?: string | undefined;
  icon?: ReactNode;
  /** A menu entry that does not close the menu. */
  isEntry?: boolean;
}

export function RetryButton({ error, onRetry, variant, className, icon, isEntry = false }: RetryButtonProps) {
  const waitSeconds = useWaitSeconds(error);
  const label = waitSeconds > 0 ? `Try again in ${waitSeconds} s` : "Try again";
  if (className === undefined) {
    return (
      <Button variant={variant} icon={variant ? undefined : "retry"} isPending={waitSeconds > 0} onClick={onRetry}>
        {label}
      </Button>
    );
  }
  return (
    <button
      type="button"
      className={className}
      {...(isEntry ? { "data-entry": "", "data-stay": "" } : {})}
      // Not `disabled`, which would lose the focus.
      aria-disabled={waitSeconds > 0}
      onClick={() => waitSeconds === 0 && onRetry()}
    >
      {icon}
      {label}
    </button>
  );
}
