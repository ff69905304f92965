import { describe, expect, test } from "vitest";
import { HubConnection, modeAt, pingMs, pongMs, type SocketLike } from "./connection.ts";

interface FakeSocket extends SocketLike {
  sent: string[];
  isClosed: boolean;
  say(message: unknown): void;
  drop(code: number): void;
}

/** The connection's surroundings under the test's control: time advances only on request. */
function surroundings() {
  const sockets: FakeSocket[] = [];
  let now = 1_000_000;
  let timers: { at: number; run: () => void }[] = [];
  const around = {
    openSocket(): FakeSocket {
      const socket: FakeSocket = {
        onopen: null,
        onmessage: null,
        onclose: null,
        sent: [],
        isClosed: false,
        send: (text) => socket.sent.push(text),
        close: () => {
          socket.isClosed = true;
        },
        say: (message) => socket.onmessage?.({ data: JSON.stringify(message) }),
        drop: (code) => socket.onclose?.({ code }),
      };
      sockets.push(socket);
      return socket;
    },
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    random: () => 0.5,
  };
  const pass = (ms: number) => {
    const end = now + ms;
    for (;;) {
      const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      timers = timers.filter((timer) => timer !== due);
      now = due.at;
      due.run();
    }
    now = end;
  };
  const connection = new HubConnection(around);
  const mode = () => modeAt(connection.facts(), now);
  const live = () => {
    const socket = sockets.at(-1);
    socket?.onopen?.();
    socket?.say({ type: "ready", topics: [] });
    return socket;
  };
  return { connection, sockets, pass, mode, live };
}

describe("the connection", () => {
  test("subscribes to the followed project and is live once the hub is ready", () => {
    const { connection, sockets, mode, live } = surroundings();
    connection.follow("p-1", ["task.changed"]);
    expect(mode()).toBe("connecting");

    live();

    expect(JSON.parse(sockets[0]?.sent[0] ?? "")).toEqual({
      type: "subscribe",
      project_id: "p-1",
      topics: ["task.changed"],
    });
    expect(mode()).toBe("live");
  });

  test("hands events to its listeners", () => {
    const { connection, live } = surroundings();
    const seen: unknown[] = [];
    connection.listen((event) => seen.push(event.topic));
    connection.follow("p-1", ["task.changed"]);

    live()?.say({ type: "event", topic: "task.changed", rows: [] });

    expect(seen).toEqual(["task.changed"]);
  });

  test("stays live while pings are answered", () => {
    const { connection, pass, mode, live } = surroundings();
    connection.follow("p-1", []);
    const socket = live();
    for (let round = 1; round <= 3; round += 1) {
      pass(pingMs);
      expect(socket?.sent.filter((text) => text === '{"type":"ping"}')).toHaveLength(round);
      socket?.say({ type: "pong" });
      pass(pongMs);
      expect(mode()).toBe("live");
    }
  });

  test("leaves a silent stream, polls in the meantime, and reads again when it is back", () => {
    const { connection, sockets, pass, mode, live } = surroundings();
    let resumes = 0;
    connection.onResume(() => resumes++);
    connection.follow("p-1", []);
    const silent = live();

    pass(pingMs + pongMs);
    connection.report("answered");
    expect(silent?.isClosed).toBe(true);
    expect(connection.facts().isReady).toBe(false);
    expect(mode()).toBe("polling");

    pass(1000);
    expect(sockets).toHaveLength(2);
    live();
    expect(mode()).toBe("live");
    expect(resumes).toBe(2);
  });

  test("polls while the hub is away, and is stale when reads are no longer answered", () => {
    const { connection, sockets, pass, mode, live } = surroundings();
    connection.follow("p-1", []);
    live();
    sockets[0]?.drop(1006);
    connection.report("answered");
    expect(mode()).toBe("polling");

    pass(60_000);

    expect(mode()).toBe("stale");
  });

  test("is offline when reads are not answered, until one is", () => {
    const { connection, mode } = surroundings();
    connection.report("unreachable");
    expect(mode()).toBe("offline");
    connection.report("answered");
    expect(mode()).toBe("polling");
  });

  test("reconnects with backoff, and reports when", () => {
    const { connection, sockets, pass } = surroundings();
    connection.follow("p-1", []);
    sockets[0]?.drop(1006);
    expect(connection.facts().retryAt).toBe(1_000_000 + 1000);
    pass(1000);
    sockets[1]?.drop(1006);
    pass(1000);
    expect(sockets).toHaveLength(2);
    pass(1000);
    expect(sockets).toHaveLength(3);
  });

  test("has the page read again when the stream opens, and after a gap", () => {
    const { connection, sockets, pass, live } = surroundings();
    let resumes = 0;
    connection.onResume(() => resumes++);
    connection.follow("p-1", []);
    live();
    expect(resumes).toBe(1);

    sockets[0]?.drop(1001);
    pass(2000);
    expect(resumes).toBe(1);
    live();

    expect(resumes).toBe(2);
  });

  test("does not retry soon when the hub refuses the session", () => {
    const { connection, sockets, pass } = surroundings();
    connection.follow("p-1", []);
    sockets[0]?.drop(4401);
    pass(20_000);
    expect(sockets).toHaveLength(1);
  });

  test("paused, it closes the stream and comes back with a full read", () => {
    const { connection, sockets, mode, live } = surroundings();
    let resumes = 0;
    connection.follow("p-1", []);
    live();
    connection.onResume(() => resumes++);

    connection.setPaused(true);
    expect(mode()).toBe("paused");
    expect(sockets[0]?.isClosed).toBe(true);

    connection.setPaused(false);
    expect(sockets).toHaveLength(2);
    expect(resumes).toBe(1);
  });

  test("ignores a socket it has already left", () => {
    const { connection, sockets } = surroundings();
    const seen: unknown[] = [];
    connection.listen((event) => seen.push(event));
    connection.follow("p-1", []);
    const old = sockets[0];
    const handler = old?.onmessage;
    connection.follow(null);
    handler?.({ data: '{"type":"event","topic":"task.changed"}' });
    expect(seen).toEqual([]);
  });

  test("survives a message that is not JSON", () => {
    const { connection, sockets, mode, live } = surroundings();
    connection.follow("p-1", []);
    live();
    sockets[0]?.onmessage?.({ data: "<html>" });
    expect(mode()).toBe("live");
  });
});
