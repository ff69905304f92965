import { create } from "qrcode";
import { useMemo } from "react";
import css from "./mfa.module.css";
import { qrPath } from "./qr-path.ts";

/** The quiet zone around a code, in modules (ISO/IEC 18004). */
const quietZone = 4;

/** A QR code, black on white in every theme. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, side } = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: "M" });
    return { path: qrPath(modules, quietZone), side: modules.size + 2 * quietZone };
  }, [text]);
  return (
    <svg className={css.qr} viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={side} height={side} />
      <path d={path} />
    </svg>
  );
}
