import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, buttonClass } from "../buttons/Button.tsx";
import { NoteLine } from "../panels/Lines.tsx";
import { firstFocus } from "./first-focus.ts";
import { putUnder, walkEntries } from "./floating.ts";
import { useKeys } from "./keys.ts";
import css from "./layers.module.css";

interface MenuProps {
  /** Content and look of the button that opens it: a tool, an icon, or a class of its own. */
  button: ReactNode;
  variant?: "tool" | "icon" | undefined;
  buttonClass?: string | undefined;
  buttonLabel?: string | undefined;
  /** Class with the position; popovers are in the top layer and sit where this says. */
  place?: string | undefined;
  label: string;
  /** As a function it is drawn only while the menu is open: for long lists of entries. */
  children: ReactNode | (() => ReactNode);
  onOpen?: () => void;
  /** A single key that opens it, see `useKeys`. */
  openedBy?: string;
}

/**
 * A button and its floating list, on the browser's own popover: light dismiss, Esc and focus return come with it. Up
 * and Down walk through the entries; choosing a link or button closes it.
 */
export function Menu({
  button,
  variant = "tool",
  buttonClass: look,
  buttonLabel,
  place,
  label,
  children,
  onOpen,
  openedBy,
}: MenuProps) {
  const id = useId();
  const layer = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useKeys(
    openedBy === undefined
      ? {}
      : {
          [openedBy]: (event) => {
            event.preventDefault();
            layer.current?.showPopover();
          },
        },
  );

  useEffect(() => {
    const element = layer.current;
    if (!element) return;
    // The entries must be there, as they begin, when the layer is placed and the first of them takes the focus.
    const opening = (event: Event) => {
      if ((event as ToggleEvent).newState !== "open") return;
      flushSync(() => {
        setOpen(true);
        onOpen?.();
      });
    };
    const toggled = (event: Event) => {
      const isOpen = (event as ToggleEvent).newState === "open";
      setOpen(isOpen);
      opener.current?.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen) return;
      putUnder(opener.current, element, place !== undefined);
      element.querySelector<HTMLElement>("input, [data-entry]")?.focus();
    };
    element.addEventListener("beforetoggle", opening);
    element.addEventListener("toggle", toggled);
    return () => {
      element.removeEventListener("beforetoggle", opening);
      element.removeEventListener("toggle", toggled);
    };
  }, [onOpen, place]);

  return (
    <>
      <button
        ref={opener}
        type="button"
        className={look ?? buttonClass({ variant })}
        aria-label={buttonLabel}
        title={buttonLabel}
        aria-expanded="false"
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        ref={layer}
        id={id}
        popover="auto"
        role="group"
        className={place ? `${css.pop} ${place}` : css.pop}
        aria-label={label}
        onKeyDown={walkEntries}
        onClick={(event) => {
          if ((event.target as Element).closest("[data-entry]:not([data-stay])")) layer.current?.hidePopover();
        }}
      >
        {typeof children !== "function" ? children : isOpen ? children() : null}
      </div>
    </>
  );
}

export const menuLayer = css.pop;
export const menuItem = css.item;
export const menuLabel = css.label;
export const menuRule = css.rule;
export const menuReason = css.reason;

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Why it cannot be left yet; Esc and the cross say so instead of closing it. */
  staysBecause?: string | null;
  /** At the foot of a phone's screen. */
  isSheet?: boolean;
  /** A drawer at the right edge, as high as the screen. */
  isSide?: boolean;
  /** Below the title: where it acts. */
  place?: ReactNode;
  children: ReactNode;
}

/** A modal on the native element: focus is kept inside and goes back to where it was. */
export function Dialog({
  title,
  onClose,
  staysBecause = null,
  isSheet = false,
  isSide = false,
  place,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [isHeld, setHeld] = useState(false);
  const id = useId();
  // Closed before it leaves the document, whoever takes it away: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.focus();
    return () => dialog?.close();
  }, []);
  const hasStarted = useRef(false);
  // After each render: the content may load late, and what had the focus may be removed, which leaves it on the body.
  useLayoutEffect(() => {
    const at = document.activeElement;
    if (at !== document.body && (at !== element.current || hasStarted.current)) return;
    const first = element.current && firstFocus(element.current);
    first?.focus();
    hasStarted.current ||= first !== null;
  });
  const isStaying = staysBecause !== null;
  useEffect(() => {
    if (!isStaying) return;
    // Wherever the focus is, which a click between the controls takes out of the dialog; and already at the key, because a browser closes
    // a dialog at a second Esc whatever its cancel event was told.
    const hold = (event: globalThis.KeyboardEvent) => {
      const isOnTop = [...document.querySelectorAll("dialog:modal")].at(-1) === element.current;
      if (event.key !== "Escape" || !isOnTop) return;
      event.preventDefault();
      event.stopPropagation();
      setHeld(true);
    };
    document.addEventListener("keydown", hold, { capture: true });
    return () => document.removeEventListener("keydown", hold, { capture: true });
  }, [isStaying]);
  return (
    <dialog
      ref={element}
      // Has the focus until there is something to fill in or to press.
      tabIndex={-1}
      className={[css.dialog, isSheet ? css.sheet : null, isSide ? css.side : null].filter(Boolean).join(" ")}
      aria-labelledby={id}
      // Not when it was taken away: then there is nothing left to close.
      onClose={() => element.current && onClose()}
      onCancel={(event) => event.stopPropagation()}
    >
      <div className={css.dhead}>
        <div className="grow">
          <h2 id={id}>{title}</h2>
          {place}
        </div>
        <Button
          variant="icon"
          icon="x"
          aria-label="Close dialog"
          onClick={() => (isStaying ? setHeld(true) : element.current?.close())}
        />
      </div>
      <div role="alert">{isHeld && isStaying ? <NoteLine glyph="failure">{staysBecause}</NoteLine> : null}</div>
      <div className={css.dbody}>{children}</div>
    </dialog>
  );
}

export const dialogFoot = css.dfoot;
export const dialogList = css.dlist;
export const drawerClass = css.drawer;
