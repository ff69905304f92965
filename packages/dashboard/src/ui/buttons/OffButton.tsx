import { type ButtonHTMLAttributes, lazy, Suspense, useState } from "react";

// Where it cannot be loaded, the reason is still in the button's title.
const ReasonLayer = lazy(() =>
  import("../layers/ReasonLayer.tsx").then(
    (part) => ({ default: part.ReasonLayer }),
    () => ({ default: () => null }),
  ),
);

interface OffButtonProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "className" | "children"> {
  isOff: boolean;
  /** Why it is off, where that is to be said. */
  reason: string | null;
  onAct?: (() => void) | undefined;
}

/** A button that keeps its place and the focus while it is off, and says why when it is pressed or reached by the keyboard. */
export function OffButton({ isOff, reason, onAct, ...button }: OffButtonProps) {
  const [tried, setTried] = useState<HTMLElement | null>(null);
  return (
    <>
      <button
        {...button}
        aria-disabled={isOff}
        title={reason ?? undefined}
        onClick={(event) => {
          if (!isOff) return onAct?.();
          // Enter in a field presses it too, so that this holds back the form.
          event.preventDefault();
          setTried(event.currentTarget);
        }}
        onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && setTried(currentTarget)}
        onBlur={() => setTried(null)}
      />
      {tried === null || reason === null ? null : (
        <Suspense fallback={null}>
          <ReasonLayer button={tried} reason={reason} onClose={() => setTried(null)} />
        </Suspense>
      )}
    </>
  );
}
