import { ApiProblem } from "@svc/client";
import type { ReactNode } from "react";
import { useNow } from "../time/ticker.ts";
import { Button } from "./Button.tsx";

// When each refusal is over, noted when it is first shown: its answer says only how long it lasts.
const ends = new WeakMap<ApiProblem, number>();

function endOf(error: unknown): number {
  if (!(error instanceof ApiProblem) || error.code !== "rate_limited") return 0;
  const known = ends.get(error);
  if (known !== undefined) return known;
  const end = Date.now() + (error.retryAfterSeconds ?? 60) * 1000;
  ends.set(error, end);
  return end;
}

/** Whole seconds until the server takes the same request again; 0 when it may be made now. */
export function useWaitSeconds(error: unknown): number {
  const end = endOf(error);
  const isWaiting = end > Date.now();
  // Subscribed for as long as there is something to count down to.
  const now = useNow(isWaiting);
  return isWaiting ? Math.max(0, Math.ceil((end - Math.max(now, Date.now())) / 1000)) : 0;
}

interface RetryButtonProps {
  /** Why the last try failed. Asked to wait, it counts down and does nothing until then. */
  error: unknown;
  onRetry: () => void;
  /** Among words it is a link without an icon. */
  variant?: "link";
  /** Its look in a menu. */
  className?: string | undefined;
  icon?: ReactNode;
  /** In a menu: one of its entries, which does not close it. */
  isEntry?: boolean;
}

export function RetryButton({ error, onRetry, variant, className, icon, isEntry = false }: RetryButtonProps) {
  const waitSeconds = useWaitSeconds(error);
  const words = waitSeconds > 0 ? `Try again in ${waitSeconds} s` : "Try again";
  if (className === undefined) {
    return (
      <Button variant={variant} icon={variant ? undefined : "retry"} isPending={waitSeconds > 0} onClick={onRetry}>
        {words}
      </Button>
    );
  }
  return (
    <button
      type="button"
      className={className}
      {...(isEntry ? { "data-entry": "", "data-stay": "" } : {})}
      // Not disabled: the focus must not be lost on the way.
      aria-disabled={waitSeconds > 0}
      onClick={() => waitSeconds === 0 && onRetry()}
    >
      {icon}
      {words}
    </button>
  );
}
