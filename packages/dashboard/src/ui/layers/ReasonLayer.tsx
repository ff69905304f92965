import { useLayoutEffect, useRef } from "react";
import { putUnder } from "./floating.ts";
import css from "./layers.module.css";

interface ReasonLayerProps {
  button: HTMLElement;
  reason: string;
  onClose: () => void;
}

/** Why a button cannot be pressed, beside it and over everything else. The foot of a dialog has a line for it. */
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
    // What the keyboard reaches is scrolled into view after it has the focus.
    document.addEventListener("scroll", place, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", place, { capture: true });
  }, [button]);
  return (
    <span
      ref={layer}
      popover="auto"
      className={`${css.pop} ${css.why}`}
      // Its title tells it to who does not see it.
      aria-hidden="true"
      // Before it closes: once it has, the button may be pressed again already.
      onBeforeToggle={(event) => event.newState === "closed" && onClose()}
    >
      {reason}
    </span>
  );
}
