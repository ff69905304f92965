import css from "../chart.module.css";
import type { Area } from "../TimeChart.tsx";
import type { Bucket } from "./marks.ts";

interface Span {
  x: number;
  width: number;
}

export function barSpan({ x }: Area, { fromMs, toMs }: Bucket): Span {
  const room = x(toMs) - x(fromMs);
  const width = room < 3 ? room : Math.max(1, room * 0.78);
  return { x: x(fromMs) + (room - width) / 2, width };
}

/** Height in pixels; at least one pixel for a non-zero count. */
export function scaled(value: number, most: number, ends: { from: number; to: number }): number {
  return value === 0 ? 0 : Math.max(1, (value / most) * (ends.to - ends.from));
}

/** The bar of a bucket; hollow while the bucket is running. */
export function Bar({
  span,
  y,
  height,
  className,
  isHollow,
}: {
  span: Span;
  y: number;
  height: number;
  className: string | undefined;
  isHollow: boolean;
}) {
  if (height === 0) return null;
  // The outline of a hollow bar is inset, so that it is no larger than a filled one.
  const inset = isHollow ? 0.5 : 0;
  return (
    <rect
      className={isHollow ? `${css.hollow} ${className}` : className}
      x={span.x + inset}
      width={Math.max(0.5, span.width - 2 * inset)}
      y={y - height + inset}
      height={Math.max(0.5, height - 2 * inset)}
    />
  );
}
