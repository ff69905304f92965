import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import css from "./json.module.css";
import type { JsonLine } from "./json-lines.ts";

export interface LinesProps {
  lines: readonly JsonLine[];
  /** The line that the keyboard is on; it is brought into view when it changes. */
  activeIndex: number;
  renderLine: (index: number, style?: CSSProperties) => ReactNode;
  idOf: (index: number) => string;
}

const lineHeight = 24;

/** The lines of a large value: those in view and a few around them. Each is one row high, its text cut at the edge. */
export function JsonVirtualLines({ lines, activeIndex, renderLine }: LinesProps) {
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => body.current?.parentElement ?? null,
    estimateSize: () => lineHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (activeIndex >= 0) virtual.scrollToIndex(activeIndex, { align: "auto" });
  }, [virtual, activeIndex]);
  return (
    <div ref={body} role="none" className={css.virtual} style={{ height: `${virtual.getTotalSize()}px` }}>
      {virtual.getVirtualItems().map((item) => renderLine(item.index, { transform: `translateY(${item.start}px)` }))}
    </div>
  );
}
