import { useLayoutEffect, useRef } from "react";
import { putUnder } from "./floating.ts";
import css from "./layers.module.css";

interface ReasonLayerProps {
  button: HTMLElement;
  reason: string;
  onClose: () => void;
}

/** Shows why a button is disabled, next to it and above everything else. Dialog footers have their own line for it. */
export function ReasonLayer({ button, ...props }: ReasonLayerProps) {
  return button.closest(`.${css.dfoot}`) === null ? <Layer button={button} {...props} /> : null;
}

function Layer({ button, reason, onClose }: ReasonLayerProps) {
  const layer = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = layer.current;
    if (element === null) return;
    const place = () => putUnder(button, element, false);
    element.showPopover();
    place();
    // The browser scrolls a focused element into view after the focus event.
    document.addEventListener("scroll", place, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", place, { capture: true });
  }, [button]);
  return (
    <span
      ref={layer}
      popover="auto"
      className={`${css.pop} ${css.why}`}
      // Screen readers get it from the title.
      aria-hidden="true"
      // Before it closes: afterwards the button may be enabled again.
      onBeforeToggle={(event) => event.newState === "closed" && onClose()}
    >
      {reason}
    </span>
  );
}
