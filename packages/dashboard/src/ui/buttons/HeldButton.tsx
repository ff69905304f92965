import type { ReactNode } from "react";
import controls from "../controls.module.css";
import { OffButton } from "./OffButton.tsx";

interface HeldButtonProps {
  /** Why it cannot be pressed; null when it can. */
  reason: string | null;
  isMain?: boolean;
  isDanger?: boolean;
  onAct: () => void;
  children: ReactNode;
}

/** A button that stays where it is while it cannot be pressed, and says why. */
export function HeldButton({ isMain = false, isDanger = false, ...rest }: HeldButtonProps) {
  const look = isDanger ? controls.danger : isMain ? controls.pri : "";
  return <OffButton {...rest} type="button" className={`${controls.btn} ${look}`} isOff={rest.reason !== null} />;
}
