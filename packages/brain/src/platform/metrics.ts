/** The metrics of this process: a registry, three small factories, and a bound on what callers may put into labels. */
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";

type Labels = Record<string, string>;

export interface MetricOptions<Name extends string> {
  name: string;
  help: string;
  labels?: readonly Name[];
}

export interface GaugeOptions<Name extends string> extends MetricOptions<Name> {
  /**
   * How the gauges of processes that act as one service are combined; added up by default. `first`: all processes read the same value, so
   * only the process that serves the request reads it.
   */
  aggregator?: "first" | "max";
  /** Sets the gauge when /metrics is requested, for values that are not counted as they happen. */
  collect?: (gauge: Gauge<Name>) => void | Promise<void>;
}

/** What one process has counted, as data that travels between processes. */
export type Figures = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

export interface Metrics {
  readonly contentType: string;
  counter<const Name extends string>(options: MetricOptions<Name>): Counter<Name>;
  gauge<const Name extends string>(options: GaugeOptions<Name>): Gauge<Name>;
  histogram<const Name extends string>(options: MetricOptions<Name> & { buckets: number[] }): Histogram<Name>;
  /** Ends every series of every metric that has all of `labels`, because the project or queue was deleted. */
  forget(labels: Labels): Promise<void>;
  /** What this process alone has counted, without gauges that have the same value in every process. */
  figures(): Promise<Figures>;
  /** The text exposition of this process and the others of its service. */
  text(): Promise<string>;
}

/** Value of a label once its project has too many values. */
export const overflowLabel = "__overflow__";
export const maxLabelChars = 128;
export const maxValuesPerProject = 1000;

/** @param gatherOthers figures of the other processes of the service, read at each exposition. */
export function createMetrics(gatherOthers?: () => Promise<readonly Figures[]>): Metrics {
  const counted = new Registry();
  const readAlike = new Registry();
  const made: { metric: Counter | Gauge | Histogram; labels: readonly string[] }[] = [];
  const keep = <Metric extends object>(metric: Metric, { labels = [] }: { labels?: readonly string[] }): Metric => {
    made.push({ metric: metric as Counter, labels });
    return metric;
  };

  const common = <Name extends string>({ name, help, labels }: MetricOptions<Name>, registry = counted) => ({
    name,
    help,
    labelNames: labels ?? [],
    registers: [registry],
  });

  return {
    contentType: counted.contentType,
    counter: (options) => keep(new Counter(common(options)), options),
    gauge<const Name extends string>({ collect, aggregator, ...options }: GaugeOptions<Name>) {
      const gauge: Gauge<Name> = new Gauge({
        ...common(options, aggregator === "first" ? readAlike : counted),
        ...(aggregator === undefined ? {} : { aggregator }),
        ...(collect === undefined ? {} : { collect: () => collect(gauge) }),
      });
      return keep(gauge, options);
    },
    histogram: (options) => keep(new Histogram({ ...common(options), buckets: options.buckets }), options),
    async forget(labels) {
      const wanted = Object.entries(labels);
      for (const { metric, labels: names } of made) {
        // Gauges that are collected on request need not be read here.
        if (!wanted.every(([name]) => names.includes(name))) continue;
        const series = (await metric.get()).values.map((value) => value.labels as Labels);
        const ended = new Set<string>();
        for (const own of series) {
          if (!wanted.every(([name, value]) => String(own[name]) === value)) continue;
          const { le: _bucket, ...identity } = own;
          ended.add(JSON.stringify(identity));
        }
        for (const identity of ended) metric.remove(JSON.parse(identity));
      }
    },
    figures: () => counted.getMetricsAsJSON(),
    async text() {
      if (gatherOthers === undefined) return Registry.merge([counted, readAlike]).metrics();
      const own = [counted.getMetricsAsJSON(), readAlike.getMetricsAsJSON()];
      const [others, ...both] = await Promise.all([gatherOthers(), ...own]);
      return AggregatorRegistry.aggregate([...both, ...others]).metrics();
    },
  };
}

/** Bounds the values of one label per project, since task and queue names come from outside. */
export function createBoundedLabel(maxValues = maxValuesPerProject) {
  const seen = new Map<string, Set<string>>();
  return {
    /** `value` cut to 128 characters, or `__overflow__` once the project has 1000 other values. */
    of(projectId: string, value: string) {
      const cut = value.length > maxLabelChars ? [...value].slice(0, maxLabelChars).join("") : value;
      let values = seen.get(projectId);
      if (values === undefined) {
        values = new Set();
        seen.set(projectId, values);
      }
      if (values.has(cut)) return cut;
      if (values.size >= maxValues) return overflowLabel;
      values.add(cut);
      return cut;
    },
    /** Forgets a project's values. */
    forget: (projectId: string) => void seen.delete(projectId),
  };
}
