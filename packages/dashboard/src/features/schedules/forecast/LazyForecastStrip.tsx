import { type ComponentProps, lazy, Suspense } from "react";
import css from "../schedules.module.css";

// After the list and the form, which matter more.
const ForecastStrip = lazy(() => import("./ForecastStrip.tsx").then((part) => ({ default: part.ForecastStrip })));

/** The forecast of the next 24 hours. It takes its space before it is loaded. */
export function LazyForecastStrip(props: ComponentProps<typeof ForecastStrip>) {
  return (
    <Suspense fallback={<div className={css.ahead} />}>
      <ForecastStrip {...props} />
    </Suspense>
  );
}
