import { findChromium } from "../chromium.ts";

/** Sees to it that there is a browser, and fails the run with the command to type when there is none. */
export default async function setup(): Promise<void> {
  await findChromium();
}
