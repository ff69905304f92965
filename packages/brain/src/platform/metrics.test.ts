import { describe, expect, test } from "vitest";
import { createBoundedLabel, createMetrics, overflowLabel } from "./metrics.ts";

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

  test("forget ends the series of a gone queue in every metric and no other", async () => {
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
