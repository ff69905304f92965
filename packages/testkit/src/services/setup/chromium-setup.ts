import { findChromium } from "../chromium.ts";

/** Ensures that there is a browser; otherwise fails the run with the command to install one. */
export default async function setup(): Promise<void> {
  await findChromium();
}
