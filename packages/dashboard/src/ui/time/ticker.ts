import { useSyncExternalStore } from "react";
import { createStore } from "../store.ts";

// One timer for every age on the page; it sleeps while nothing listens or the page is hidden.
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

/** Milliseconds since 1970, renewed every second; 0 while `isTicking` is false, and then nothing is renewed. */
export function useNow(isTicking = true): number {
  const get = isTicking ? now.get : never;
  return useSyncExternalStore(isTicking ? subscribe : stay, get, get);
}

/** The same, renewed only when a multiple of `stepMs` has passed: for what must not be drawn every second. */
export function useNowEvery(stepMs: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now.get() / stepMs) * stepMs);
}
