import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFaultyNetwork } from "./network-fault.ts";
import { waitFor } from "./wait-for.ts";

describe("startFaultyNetwork", () => {
  test("carries bytes both ways and a half-close", async () => {
    const { network, dial } = await echoThroughProxy();
    const { socket, received } = await dial();

    socket.end("both ways");
    await once(socket, "end");

    expect(received()).toBe("both ways");
    await waitFor(() => network.openConnections() === 0);
  });

  test("cut resets open connections and allows new ones", async () => {
    const { network, dial } = await echoThroughProxy();
    const { socket, send } = await dial();
    await send("before");

    network.cut();

    expect(await faultOf(socket)).toBe("ECONNRESET");
    const again = await dial();
    await again.send("after");
    expect(again.received()).toBe("after");
  });

  test("down refuses new connections until it is healed", async () => {
    const { network, dial } = await echoThroughProxy();
    network.down();
    await expect(dial()).rejects.toThrow(/ECONNRESET/);

    network.heal();

    const taken = await dial();
    await taken.send("back");
    expect(taken.received()).toBe("back");
  });

  test("blackhole keeps the connection open, moves nothing, and delivers in order once healed", async () => {
    const { network, dial, arrived } = await echoThroughProxy();
    const { socket, send, received } = await dial();
    await send("one,");
    network.blackhole();
    socket.write("two,");
    const probe = await dial();
    probe.socket.write("three");
    await waitFor(() => network.openConnections() === 2);
    expect(arrived()).toBe("one,");

    network.heal();

    await waitFor(() => received() === "one,two,");
    await waitFor(() => probe.received() === "three");
    expect(socket.destroyed).toBe(false);
  });

  test("delay holds chunks back, and delivers them in order once healed", async () => {
    const { network, dial, dialDirectly, arrived } = await echoThroughProxy();
    const { socket, send, received } = await dial();
    await send("0");
    network.delay(3_600_000);
    socket.write("1");
    await (await dialDirectly()).send("x");
    expect(arrived()).toBe("0x");

    network.heal();
    socket.write("2");

    await waitFor(() => received() === "012");
  });
});

async function echoThroughProxy() {
  let arrived = "";
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (chunk) => {
      arrived += chunk;
    });
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const address = echo.address();
  if (address === null || typeof address === "string") throw new Error("the echo server has no port");
  const network = await startFaultyNetwork({ port: address.port });
  const dialled: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of dialled) socket.destroy();
    await network.close();
    echo.close();
  });

  const dialPort = async (port: number) => {
    const socket = connect({ port, host: "127.0.0.1" });
    dialled.push(socket);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    let fault: string | undefined;
    socket.on("error", (error: NodeJS.ErrnoException) => {
      fault = error.code;
    });
    await once(socket, "connect");
    faults.set(socket, () => fault);
    const send = async (message: string) => {
      const expected = received + message;
      socket.write(message);
      await waitFor(() => received === expected);
    };
    return { socket, send, received: () => received };
  };
  return {
    network,
    arrived: () => arrived,
    dial: () => dialPort(network.port),
    dialDirectly: () => dialPort(address.port),
  };
}

const faults = new WeakMap<Socket, () => string | undefined>();

async function faultOf(socket: Socket): Promise<string | undefined> {
  return waitFor(() => faults.get(socket)?.(), { that: "the reset" });
}
