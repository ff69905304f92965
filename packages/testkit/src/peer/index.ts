export { waitFor } from "../wait-for.ts";
export { createEagerClock, createManualClock, type ManualClock } from "./manual-clock.ts";
export { type Peer, type PeerOptions, startPeer } from "./peer.ts";
export { createScriptedAdapter, type ScriptedAdapter } from "./scripted-adapter.ts";
