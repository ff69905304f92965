import { describe, expect, test } from "vitest";
import { createBoundedLabel, createMetrics, type Figures, overflowLabel } from "./metrics.ts";

describe("metrics", () => {
  test("print what was counted, and read collected gauges when asked", async () => {
    const metrics = createMetrics();
    const frames = metrics.counter({ name: "svc_frames_verified_total", help: "frames", labels: ["path"] });
    frames.inc({ path: "fast" }, 3);
    let rss = 1;
    metrics.gauge({ name: "svc_brain_rss_bytes", help: "memory", collect: (gauge) => gauge.set(rss) });
    rss = 42;
    const text = await metrics.text();
    expect(text).toContain('svc_frames_verified_total{path="fast"} 3');
    expect(text).toContain("svc_brain_rss_bytes 42");
  });

  test("print several processes as one: added up, but for gauges that all read alike or of which the worst counts", async () => {
    const processOf = (frames: number, depth: number, isFailing: boolean, others?: typeof elsewhere) => {
      const metrics = createMetrics(others && (async () => [await others.figures()]));
      metrics
        .counter({ name: "svc_frames_verified_total", help: "frames", labels: ["path"] })
        .inc({ path: "fast" }, frames);
      metrics.gauge({ name: "svc_ws_connections", help: "sockets" }).set(frames);
      metrics.gauge({ name: "svc_agents_online", help: "agents", aggregator: "first" }).set(depth);
      metrics.gauge({ name: "svc_task_error", help: "loops", aggregator: "max" }).set(isFailing ? 1 : 0);
      metrics.histogram({ name: "svc_batch_seconds", help: "batches", buckets: [1] }).observe(frames);
      return metrics;
    };
    const elsewhere: ReturnType<typeof createMetrics> = processOf(1, 7, true);
    const text = await processOf(3, 7, false, elsewhere).text();
    for (const line of [
      'svc_frames_verified_total{path="fast"} 4',
      "svc_ws_connections 4",
      "svc_agents_online 7",
      "svc_task_error 1",
      'svc_batch_seconds_bucket{le="1"} 1',
      'svc_batch_seconds_bucket{le="+Inf"} 2',
      "svc_batch_seconds_sum 4",
    ])
      expect(text).toContain(`${line}\n`);
    expect(await elsewhere.text()).toContain("svc_ws_connections 1\n");
  });

  test("read a gauge that is alike in several processes only where they are asked", async () => {
    const read: string[] = [];
    const processOf = (name: string, others?: () => Promise<readonly Figures[]>) => {
      const metrics = createMetrics(others);
      const collect = () => void read.push(name);
      metrics.gauge({ name: "svc_agents_online", help: "agents", aggregator: "first", collect });
      return metrics;
    };
    const sibling = processOf("sibling");
    const asked = processOf("asked", async () => [await sibling.figures()]);
    expect(await asked.text()).toContain("svc_agents_online 0\n");
    expect(read).toEqual(["asked"]);
  });

  test("forget ends the series of a deleted queue in every metric and no other", async () => {
    const metrics = createMetrics();
    const depth = metrics.gauge({ name: "svc_queue_depth", help: "depth", labels: ["project", "queue"] });
    const duration = metrics.histogram({
      name: "svc_task_duration_seconds",
      help: "duration",
      labels: ["project", "task_name"],
      buckets: [0.01, 120],
    });
    depth.set({ project: "a", queue: "mail" }, 1);
    depth.set({ project: "a", queue: "pdf" }, 2);
    depth.set({ project: "b", queue: "mail" }, 3);
    duration.observe({ project: "a", task_name: "send" }, 1);
    duration.observe({ project: "b", task_name: "send" }, 1);

    await metrics.forget({ project: "a", queue: "mail" });
    let text = await metrics.text();
    expect(text).not.toContain('queue="mail",project="a"');
    expect(text).not.toContain('project="a",queue="mail"');
    expect(text).toContain('svc_queue_depth{project="a",queue="pdf"} 2');

    await metrics.forget({ project: "a" });
    text = await metrics.text();
    expect(text).not.toContain('project="a"');
    expect(text).toContain('svc_queue_depth{project="b",queue="mail"} 3');
    expect(text).toContain('svc_task_duration_seconds_count{project="b",task_name="send"} 1');
  });
});

describe("a bounded label", () => {
  test("keeps the first values of a project and turns every other one into the overflow value", () => {
    const label = createBoundedLabel(2);
    expect([label.of("p", "a"), label.of("p", "b"), label.of("p", "c"), label.of("p", "a")]).toEqual([
      "a",
      "b",
      overflowLabel,
      "a",
    ]);
    expect(label.of("q", "c")).toBe("c");
    label.forget("p");
    expect(label.of("p", "c")).toBe("c");
  });

  test("cuts long values to 128 characters without splitting one", () => {
    const label = createBoundedLabel();
    expect([...label.of("p", "🦊".repeat(200))]).toHaveLength(128);
  });
});
