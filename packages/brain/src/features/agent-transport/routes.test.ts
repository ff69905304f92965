import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { waitFor } from "@svc/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mount } from "../../platform/http/app.ts";
import { type Fixture, startFixture } from "../../platform/http/http-fixture.ts";
import { type LongpollRouteDeps, longpollRoutes } from "./routes.ts";

const identity = {
  agent_id: "11111111-2222-4333-8444-000000000001",
  project_id: "11111111-2222-4333-8444-000000000002",
  name: "agent",
  project_is_active: true,
};
const maxBodyBytes = 1000;

describe("a long-poll client that disconnects while its admission waits", () => {
  let fixture: Fixture;
  let url: string;
  let admitAll: () => void;
  let admissions: number;
  /** Per started poll, whether it knew that its client had disconnected. */
  const polls: boolean[] = [];
  const sockets = new Map<number, Socket>();

  beforeEach(async () => {
    polls.length = 0;
    admissions = 0;
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    admitAll = resolve;
    const deps: LongpollRouteDeps = {
      async admit() {
        admissions += 1;
        await gate;
        return { identity };
      },
      longpoll: {
        upload: async () => ({ accepted: 1, rejected: 0, errors: [], error_code: null }),
        async poll(_identity, _nonce, { signal }) {
          polls.push(signal.aborted);
          return { frames: [] };
        },
        probe: async () => ({ frames: [] }),
      },
      maxBodyBytes,
      workerId: "worker",
    };
    fixture = await startFixture({ routes: (app) => mount(app, "", longpollRoutes, deps) });
    fixture.app.server.on("connection", (socket) => sockets.set(socket.remotePort ?? 0, socket));
    await fixture.app.listen({ host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(fixture.app.server.address() as AddressInfo).port}`;
  });
  afterEach(() => fixture.app.close());

  /** Starts a request, waits for its admission to begin, and disconnects, until the server has noticed. */
  async function giveUp(client: ClientRequest): Promise<void> {
    const before = admissions;
    client.on("error", () => {});
    client.flushHeaders();
    await once(client, "socket");
    await waitFor(() => admissions > before);
    const seen = sockets.get(client.socket?.localPort ?? 0);
    client.destroy();
    await waitFor(() => seen?.destroyed === true);
  }

  test("leaves the upload capacity to others", async () => {
    for (let round = 0; round < 4; round += 1) {
      const headers = { "content-type": "application/json", "content-length": maxBodyBytes };
      await giveUp(request(`${url}/agent/events`, { method: "POST", agent: false, headers }));
    }
    admitAll();
    const answer = await fetch(`${url}/agent/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ frames: ["x"] }),
    });
    expect(answer.status).toBe(200);
  });

  test("is known to have disconnected when its poll begins, so that nothing is claimed for it", async () => {
    await giveUp(request(`${url}/agent/commands`, { agent: false }));
    admitAll();
    await waitFor(() => polls.length > 0);
    expect(polls).toEqual([true]);
  });
});
