import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";

/** For localhost, valid until 2126; only for tests. */
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzZUFKKRtSLP7pvIZ
wOoafyybCIki2UdJ7Mhm5QG7L6OhRANCAASlJPq/G2IRH6+22JWb3Yaqee+3jsLt
4rui4DerpOMfndwHcCbV8xeUsylbUi/T/JQie2KjRmkYvKSoasI10LIq
-----END PRIVATE KEY-----`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEUh6mnnPxSTMrCYX7juOaZ4hve0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE5MzkyNloYDzIxMjYxMDI5
MTkzOTI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASlJPq/G2IRH6+22JWb3Yaqee+3jsLt4rui4DerpOMfndwHcCbV8xeU
sylbUi/T/JQie2KjRmkYvKSoasI10LIqo28wbTAdBgNVHQ4EFgQUZ78BwAq9QPZU
55kz6gms+SJe5TgwHwYDVR0jBBgwFoAUZ78BwAq9QPZU55kz6gms+SJe5TgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgae7vVBdj1VCSPqkCZhrQgoQTS+ng3rafSJswV1jjF8QCIQCQ
Ub0Lq4rvwsGI55qV4JqKbyQsm7VcjsR6x2KK0c9Bvw==
-----END CERTIFICATE-----`;

export type Respond = (response: ServerResponse) => void;

export type HttpsServer = Awaited<ReturnType<typeof startHttpsServer>>;

/**
 * Starts a real https server with answers from the test. From then on this process trusts its certificate, like one from an
 * administrator's own certificate authority.
 */
export async function startHttpsServer() {
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), certificate]);
  let respond: Respond = (response) => response.writeHead(404).end();
  let asked = 0;
  const server = createServer({ key: privateKey, cert: certificate }, (_request, response) => {
    asked += 1;
    respond(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    /** `https://127.0.0.1:<port>`. */
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests received so far. */
    get asked() {
      return asked;
    },
    /** Sets the answer to all further requests. */
    answerWith(next: Respond) {
      respond = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
