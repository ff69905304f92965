import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import css from "./json.module.css";
import type { JsonLine } from "./json-lines.ts";

export interface LinesProps {
  lines: readonly JsonLine[];
  /** The line with the keyboard focus; scrolled into view when it changes. */
  activeIndex: number;
  renderLine: (index: number, style?: CSSProperties) => ReactNode;
  idOf: (index: number) => string;
}

const lineHeight = 24;
/** Overscan: extra lines above and below the visible ones. */
const spare = 20;

/** The visible lines of a large value and a few around them. Each is one row high; long text is cut. */
export function JsonVirtualLines({ lines, activeIndex, renderLine }: LinesProps) {
  const body = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, count: 40 });

  useEffect(() => {
    const box = body.current?.parentElement;
    if (!box) return;
    const measure = () =>
      setView((old) => {
        const first = Math.floor(box.scrollTop / lineHeight);
        const count = Math.ceil(box.clientHeight / lineHeight);
        return first === old.first && count === old.count ? old : { first, count };
      });
    measure();
    box.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => {
      box.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);

  useEffect(() => {
    const box = body.current?.parentElement;
    if (!box || activeIndex < 0) return;
    const top = activeIndex * lineHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 2 * lineHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + 2 * lineHeight - box.clientHeight;
  }, [activeIndex]);

  const from = Math.max(0, view.first - spare);
  const to = Math.min(lines.length, view.first + view.count + spare);
  return (
    <div ref={body} role="none" className={css.virtual} style={{ height: `${lines.length * lineHeight}px` }}>
      {Array.from({ length: Math.max(0, to - from) }, (_, at) =>
        renderLine(from + at, { transform: `translateY(${(from + at) * lineHeight}px)` }),
      )}
    </div>
  );
}
