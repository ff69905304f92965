import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface FaultyNetworkOptions {
  readonly host?: string;
  readonly port: number;
}

export type FaultyNetwork = Awaited<ReturnType<typeof startFaultyNetwork>>;

type Line = "healthy" | "down" | "blackhole";

/** A TCP proxy in front of one server, whose line a test can damage. Faults change connections that are open as well as new ones. */
export async function startFaultyNetwork(target: FaultyNetworkOptions) {
  const pairs = new Set<Pair>();
  const state: LineState = { line: "healthy", delayMs: 0, waiting: new Set(), passedOn: () => {} };

  const server = createServer({ allowHalfOpen: true }, (inside) => {
    if (state.line === "down") {
      inside.resetAndDestroy();
      return;
    }
    const outside = connect({ host: target.host ?? "127.0.0.1", port: target.port, allowHalfOpen: true });
    const pair: Pair = { inside, outside };
    pairs.add(pair);
    const forget = () => {
      pairs.delete(pair);
      reset(pair);
    };
    for (const socket of [inside, outside]) {
      socket.setNoDelay(true);
      socket.on("error", forget);
    }
    inside.on("close", () => outside.destroyed && forget());
    outside.on("close", () => inside.destroyed && forget());
    relay(inside, outside, state, (chunk) => state.passedOn(chunk));
    relay(outside, inside, state);
    if (state.line === "blackhole") hold(pair);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");

  /** Resets every open connection at once; new ones are taken. */
  const cut = () => {
    for (const pair of pairs) reset(pair);
    pairs.clear();
  };
  /** Keeps connections open and swallows nothing, but moves no byte in either direction until `heal`. */
  const blackhole = () => {
    state.line = "blackhole";
    for (const pair of pairs) hold(pair);
  };
  return {
    port: address.port,
    /** Connections that are open through the proxy now. */
    openConnections: () => pairs.size,
    cut,
    /** Refuses new connections and resets open ones until `heal`. */
    down() {
      state.line = "down";
      cut();
    },
    blackhole,
    /**
     * A `blackhole` that begins as soon as a chunk from the client that `isLast` accepts has been passed on, so that its answer is held
     * back. Resolves then.
     */
    blackholeAfter(isLast: (chunk: Buffer) => boolean) {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.passedOn = (chunk) => {
        if (!isLast(chunk)) return;
        state.passedOn = () => {};
        blackhole();
        resolve();
      };
      return promise;
    },
    /** Holds every chunk back for this many milliseconds in each direction. */
    delay(delayMs: number) {
      state.delayMs = delayMs;
    },
    /** Ends every fault; bytes that were held back flow at once, in their order. */
    heal() {
      state.line = "healthy";
      state.delayMs = 0;
      for (const deliver of state.waiting) deliver();
      for (const { inside, outside } of pairs) {
        inside.resume();
        outside.resume();
      }
    },
    async close() {
      cut();
      for (const release of state.waiting) release();
      server.close();
      await once(server, "close");
    },
  };
}

interface Pair {
  readonly inside: Socket;
  readonly outside: Socket;
}

interface LineState {
  line: Line;
  delayMs: number;
  /** Ends the wait of one delayed chunk each. */
  readonly waiting: Set<() => void>;
  /** Called with each chunk from the client once it has been passed on. */
  passedOn: (chunk: Buffer) => void;
}

/** Chunks keep their order: a chunk waits for the one before it, however the delay was changed in between. */
function relay(from: Socket, to: Socket, state: LineState, passedOn: (chunk: Buffer) => void = () => {}): void {
  let earlier: Promise<void> = Promise.resolve();
  const inOrder = (deliver: () => void) => {
    const due = performance.now() + state.delayMs;
    earlier = earlier.then(async () => {
      if (state.delayMs > 0) await pauseUntil(due, state);
      if (!to.destroyed) deliver();
    });
  };
  from.on("data", (chunk) => {
    inOrder(() => {
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => state.line !== "blackhole" && from.resume());
      }
      passedOn(chunk);
    });
  });
  from.on("end", () => inOrder(() => to.end()));
}

async function pauseUntil(due: number, state: LineState): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, due - performance.now()));
  state.waiting.add(resolve);
  await promise;
  state.waiting.delete(resolve);
  clearTimeout(timer);
}

function hold({ inside, outside }: Pair): void {
  inside.pause();
  outside.pause();
}

function reset({ inside, outside }: Pair): void {
  inside.resetAndDestroy();
  outside.resetAndDestroy();
}
