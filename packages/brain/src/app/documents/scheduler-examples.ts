/** Examples of the list of schedulers. */
export const schedulerExamples = {
  SchedulerList: {
    schedulers: [
      {
        url: "http://scheduler-1:7800",
        ok: true,
        info: {
          version: "0.1.0",
          instance_id: "scheduler-1",
          leader: true,
          projects: 3,
          schedules: 120,
          watch_healthy: true,
          cadence_fingerprint: "svc-cadence/1;tzdb=2026a",
        },
        error: null,
      },
      { url: "http://scheduler-2:7800", ok: false, info: null, error: "it cannot be reached" },
    ],
    total: 2,
    healthy: 1,
  },
};
