import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, buttonClass } from "../buttons/Button.tsx";
import { NoteLine } from "../panels/Lines.tsx";
import { firstFocus } from "./first-focus.ts";
import { putUnder, walkEntries } from "./floating.ts";
import { useKeys } from "./keys.ts";
import css from "./layers.module.css";

interface MenuProps {
  /** Content and style of the button that opens it: a toolbar button, an icon, or a custom class. */
  button: ReactNode;
  variant?: "tool" | "icon" | undefined;
  buttonClass?: string | undefined;
  buttonLabel?: string | undefined;
  /** A class with the position, because popovers are in the top layer. */
  place?: string | undefined;
  label: string;
  /** As a function, it is rendered only while the menu is open: for long lists. */
  children: ReactNode | (() => ReactNode);
  onOpen?: () => void;
  /** A shortcut that opens it, see `useKeys`. */
  openedBy?: string;
}

/**
 * A button with a menu, built on the native popover, which provides light dismiss, Esc and focus return. Up and Down move through the
 * entries; activating one closes the menu.
 */
export function Menu({
  button,
  variant = "tool",
  buttonClass: className,
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
    // The entries must be rendered before the layer is positioned and the first one is focused.
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
      // The event arrives late: by then the focus can be in a field of the menu already.
      if (!element.contains(document.activeElement)) element.querySelector<HTMLElement>("input, [data-entry]")?.focus();
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
        className={className ?? buttonClass({ variant })}
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
  /** Why it can't be closed yet; shown on Esc and the close button instead of closing. */
  staysBecause?: string | null;
  /** A bottom sheet on phones. */
  isSheet?: boolean;
  /** A drawer at the right edge, as high as the screen. */
  isSide?: boolean;
  /** Shown below the title: the project it applies to. */
  place?: ReactNode;
  children: ReactNode;
}

/** A modal on the native dialog element, which keeps the focus inside and restores it. */
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
  // Close it before it is removed from the document: only then does the browser restore the focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.focus();
    return () => dialog?.close();
  }, []);
  const hasStarted = useRef(false);
  // After each render: content may load late, and removing the focused element moves the focus to the body.
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
    // On the document, because a click between controls moves the focus out of the dialog; and on keydown, because browsers close a dialog on
    // a second Esc even if its cancel event was prevented.
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
      // Has the focus until there is a field or button.
      tabIndex={-1}
      className={[css.dialog, isSheet ? css.sheet : null, isSide ? css.side : null].filter(Boolean).join(" ")}
      aria-labelledby={id}
      // Not when it was unmounted: then there is nothing to close.
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
