import type { KeyboardEvent } from "react";

/** Moves through the entries of a layer with Up and Down. */
export function walkEntries(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  // In date and number fields these keys change the value.
  if (event.target instanceof HTMLInputElement && event.target.type !== "text") return;
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-entry]")];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const next = entries[(at + (event.key === "ArrowDown" ? 1 : -1) + entries.length) % entries.length];
  next?.focus();
  event.preventDefault();
}

/** Positions a layer below its opener, or above it if there is no room. */
export function putUnder(button: HTMLElement | null, layer: HTMLElement, isPlaced: boolean): void {
  if (!button || isPlaced) return;
  const box = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - layer.offsetWidth - 8));
  // Above if there is no room below, for example for the last rows of a table.
  const below = box.bottom + 4;
  const above = Math.max(8, box.top - 4 - layer.offsetHeight);
  layer.style.top = `${below + layer.offsetHeight > innerHeight - 8 ? above : below}px`;
  layer.style.left = `${left}px`;
}
