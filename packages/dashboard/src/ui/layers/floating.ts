import type { KeyboardEvent } from "react";

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
