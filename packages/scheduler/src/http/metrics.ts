import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Of the text that `text` returns. */
export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** Values that are read when /metrics is requested. */
export interface GaugeReadings {
  isWatchHealthy(): boolean;
  isLeader(): boolean;
  schedules(): number;
}

export function createSchedulerMetrics(read: GaugeReadings) {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge(
    "svc_scheduler_watch_healthy",
    "1 while the scheduler's copy of the schedules is confirmed and both sides compute the same slots",
    () => Number(read.isWatchHealthy()),
  );
  gauge("svc_scheduler_leader", "1 while this scheduler leads", () => Number(read.isLeader()));
  gauge("svc_scheduler_schedules", "Schedules that the scheduler knows", () => read.schedules());
  const fires = new Counter({
    name: "svc_scheduler_fires_total",
    help: "Fires offered to the service, by its disposition; unanswered for calls without an answer",
    labelNames: ["disposition"],
    registers,
  });
  const drift = new Histogram({
    name: "svc_scheduler_tick_drift_seconds",
    help: "Seconds from a slot to its first offer to the service; missed slots are not counted",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const discarded = new Counter({
    name: "svc_scheduler_slots_discarded_total",
    help: "Missed slots that were skipped without a fire",
    registers,
  });
  const byDisposition = new Map<string, { inc(): void }>();
  return {
    text: () => registry.metrics(),
    onAnswered(disposition: string): void {
      let series = byDisposition.get(disposition);
      if (series === undefined) {
        series = fires.labels(disposition);
        byDisposition.set(disposition, series);
      }
      series.inc();
    },
    onOffered: (seconds: number) => drift.observe(Math.max(0, seconds)),
    onDiscarded: (slots: number) => discarded.inc(slots),
  };
}
