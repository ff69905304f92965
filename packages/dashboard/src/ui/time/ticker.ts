import { useSyncExternalStore } from "react";
import { createStore } from "../store.ts";

// One timer for all ages on the page; it stops while there are no listeners or the page is hidden.
const now = createStore(Date.now());
let listening = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (!document.hidden) now.set(Date.now());
}

function subscribe(listener: () => void): () => void {
  const off = now.subscribe(listener);
  listening += 1;
  if (listening === 1) {
    now.set(Date.now());
    timer = setInterval(tick, 1000);
    document.addEventListener("visibilitychange", tick);
  }
  return () => {
    off();
    listening -= 1;
    if (listening > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}

const stay = () => () => {};
const never = () => 0;

/** Milliseconds since 1970, updated every second; 0 and not updated while `isTicking` is false. */
export function useNow(isTicking = true): number {
  const get = isTicking ? now.get : never;
  return useSyncExternalStore(isTicking ? subscribe : stay, get, get);
}

/** The same, updated every `stepMs`, for parts that must not re-render every second. */
export function useNowEvery(stepMs: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now.get() / stepMs) * stepMs);
}
