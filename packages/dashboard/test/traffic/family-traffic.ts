import type { ReportedEvent } from "./task-traffic.ts";

const deepTrace = (line: number) => `Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/urllib3/connectionpool.py", line 536, in _make_request
    response = conn.getresponse()
  File "/usr/lib/python3.12/site-packages/requests/adapters.py", line 713, in send
    raise ReadTimeout(e, request=request)
requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='pay-eu-1.internal', port=443): read timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/celery/app/trace.py", line 453, in trace_task
    R = retval = fun(*args, **kwargs)
  File "/usr/lib/python3.12/site-packages/celery/app/autoretry.py", line 38, in run
    return task._orig_run(*args, **kwargs)
  File "app/billing/tasks.py", line 64, in charge_subscription
    receipt = gateway.charge(sub, idempotency_key=self.request.id)
  File "app/billing/gateway.py", line 118, in charge
    return self._post("/v2/charges", body)
  File "app/billing/gateway.py", line ${line}, in _post
    raise PaymentGatewayError(resp.status_code, self.timeout)
app.billing.gateway.PaymentGatewayError: upstream 503 after 30.0 s (gateway eu-1, order 88213)
`;

const failed = "app.billing.gateway.PaymentGatewayError: upstream 503 after 30.0 s (gateway eu-1, order 88213)";

function ended(
  taskId: string,
  of: { name: string; parent: string; ago: number; waitS: number; runS: number },
): ReportedEvent[] {
  const { name, parent, ago, waitS, runS } = of;
  return [
    {
      kind: "task.sent",
      taskId,
      ago,
      data: { task_name: name, queue: "billing", parent_task_id: parent, root_task_id: "fam-root" },
    },
    { kind: "task.started", taskId, ago: ago - waitS, data: { worker: "celery@billing-1", wait_ms: waitS * 1000 } },
    { kind: "task.succeeded", taskId, ago: ago - waitS - runS, data: { runtime_ms: runS * 1000 } },
  ];
}

/** A nightly run with ten tasks, an idle gap and a task in it that failed four times: `fam-bad`. The last reported task is `fam-late`. */
export function familyEvents(): ReportedEvent[] {
  const inFamily = { parent_task_id: "fam-root", root_task_id: "fam-root" };
  const tries = [187, 141, 80, 18].flatMap((ago, attempt): ReportedEvent[] => [
    {
      kind: "task.started",
      taskId: "fam-bad",
      ago: ago + 30,
      data: { attempt, worker: `celery@billing-${(attempt % 2) + 1}` },
    },
    {
      kind: attempt === 3 ? "task.failed" : "task.retried",
      taskId: "fam-bad",
      ago,
      data:
        attempt === 0
          ? { attempt, exception: "ReadTimeout: read timed out after 30.0 s", traceback: deepTrace(71) }
          : { attempt, exception: failed, traceback: deepTrace(87) },
    },
  ]);
  return [
    {
      kind: "task.sent",
      taskId: "fam-root",
      ago: 560,
      data: { task_name: "billing.run_daily_invoices", queue: "billing" },
    },
    { kind: "task.started", taskId: "fam-root", ago: 558, data: { worker: "celery@billing-1" } },
    ...ended("fam-collect", { name: "billing.collect_due", parent: "fam-root", ago: 555, waitS: 3, runS: 21 }),
    ...ended("fam-ok", { name: "billing.charge_subscription", parent: "fam-root", ago: 232, waitS: 9, runS: 4 }),
    ...ended("fam-pdf", { name: "media.render_pdf", parent: "fam-ok", ago: 218, waitS: 5, runS: 9 }),
    ...ended("fam-mail", { name: "emails.send_receipt", parent: "fam-ok", ago: 200, waitS: 1, runS: 1 }),
    {
      kind: "task.sent",
      taskId: "fam-bad",
      ago: 229,
      data: {
        task_name: "billing.charge_subscription",
        queue: "billing",
        priority: "critical",
        max_attempts: 4,
        tags: ["payday", "eu"],
        release: "2026.11.3",
        kwargs: {
          subscription_id: 88213,
          amount_minor: 4900,
          currency: "EUR",
          gateway: "eu-1",
          api_token: "to be redacted",
          customer: { name: "Ada", address: { city: "Köln", lines: ["Domkloster 4", "2nd floor"] }, password: "x" },
        },
        ...inFamily,
      },
    },
    ...tries,
    ...ended("fam-notice", { name: "emails.payment_failed", parent: "fam-bad", ago: 14, waitS: 1, runS: 1 }),
    {
      kind: "task.sent",
      taskId: "fam-late",
      ago: 10,
      data: { task_name: "billing.close_batch", queue: "billing", ...inFamily },
    },
  ];
}
