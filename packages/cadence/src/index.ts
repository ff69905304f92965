export {
  type Cadence,
  type CadenceDefinition,
  type CadenceKind,
  cadenceFingerprint,
  cadenceKinds,
  compileCadence,
  newestSlot,
  requireSlot,
  type Slots,
  slotsBetween,
} from "./cadence.ts";
export { CadenceError, type CadenceFault } from "./cadence-error.ts";
export { type ClockWarning, clockWarnings, offsetAt } from "./clock-changes.ts";
export { describeCadence } from "./describe.ts";
export { zoneNames } from "./zones/zone.ts";
