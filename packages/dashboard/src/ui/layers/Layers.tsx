import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import controls from "../controls.module.css";
import { Icon } from "../Icon.tsx";
import { NoteLine } from "../panels/Feedback.tsx";
import { useKeys } from "./keys.ts";
import css from "./layers.module.css";

interface MenuProps {
  /** Content and look of the button that opens it. */
  button: ReactNode;
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
export function Menu({ button, buttonClass, buttonLabel, place, label, children, onOpen, openedBy }: MenuProps) {
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
    // The entries must be there when the layer is placed and the first of them takes the focus.
    const opening = (event: Event) => {
      if ((event as ToggleEvent).newState === "open") flushSync(() => setOpen(true));
    };
    const toggled = (event: Event) => {
      const isOpen = (event as ToggleEvent).newState === "open";
      setOpen(isOpen);
      opener.current?.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen) return;
      putUnder(opener.current, element, place !== undefined);
      element.querySelector<HTMLElement>("input, [data-entry]")?.focus();
      onOpen?.();
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
        className={buttonClass ?? controls.tool}
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

/** Up and Down walk through the entries of a layer. */
export function walkEntries(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  // In a field for a date or a number these keys change the value.
  if (event.target instanceof HTMLInputElement && event.target.type !== "text") return;
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-entry]")];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const next = entries[(at + (event.key === "ArrowDown" ? 1 : -1) + entries.length) % entries.length];
  next?.focus();
  event.preventDefault();
}

/** Places a layer under what opened it, or above it where there is no room. */
export function putUnder(button: HTMLElement | null, layer: HTMLElement, isPlaced: boolean): void {
  if (!button || isPlaced) return;
  const box = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - layer.offsetWidth - 8));
  // Above it where there is no room below, as for the last rows of a table.
  const below = box.bottom + 4;
  const above = Math.max(8, box.top - 4 - layer.offsetHeight);
  layer.style.top = `${below + layer.offsetHeight > innerHeight - 8 ? above : below}px`;
  layer.style.left = `${left}px`;
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
  children: ReactNode;
}

/** A modal on the native element: focus is kept inside and goes back to where it was. */
export function Dialog({
  title,
  onClose,
  staysBecause = null,
  isSheet = false,
  isSide = false,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [isHeld, setHeld] = useState(false);
  const id = useId();
  // Closed before it leaves the document, whoever takes it away: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
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
      className={[css.dialog, isSheet ? css.sheet : null, isSide ? css.side : null].filter(Boolean).join(" ")}
      aria-labelledby={id}
      // Not when it was taken away: then there is nothing left to close.
      onClose={() => element.current && onClose()}
      onCancel={(event) => event.stopPropagation()}
    >
      <div className={css.dhead}>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className={controls.ib}
          aria-label="Close"
          onClick={() => (isStaying ? setHeld(true) : element.current?.close())}
        >
          <Icon name="x" />
        </button>
      </div>
      <div role="alert">{isHeld && isStaying ? <NoteLine glyph="failure">{staysBecause}</NoteLine> : null}</div>
      <div className={css.dbody}>{children}</div>
    </dialog>
  );
}

export const dialogFoot = css.dfoot;
export const dialogList = css.dlist;
export const drawerClass = css.drawer;
