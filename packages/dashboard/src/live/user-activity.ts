// A read counts as a background read when the user has been idle for a while. Such reads carry X-SVC-Background, so that an abandoned tab
// does not keep its session alive.
const quietAfterMs = 10_000;
let lastInputAt = Date.now();

/** Starts recording user activity. */
export function noteActivity(): void {
  const note = () => {
    lastInputAt = Date.now();
  };
  for (const kind of ["pointerdown", "keydown", "wheel", "touchstart"]) {
    addEventListener(kind, note, { capture: true, passive: true });
  }
}

export function isUnattended(): boolean {
  return document.hidden || Date.now() - lastInputAt > quietAfterMs;
}
