import { timingSafeEqual } from "node:crypto";

/** Whether two texts are equal, in a time that depends on their lengths only. Absent never equals anything. */
export function equalInConstantTime(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  const leftBytes = Buffer.from(left, "utf8");
  const rightBytes = Buffer.from(right, "utf8");
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}
