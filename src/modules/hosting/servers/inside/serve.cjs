/*
 * Runs inside the sandbox of an app, beside its server: carries what comes in on the socket that the host has given us
 * to the port that the server listens on. The network in here is the app's own, so no other way leads to it.
 *
 * Nothing is accepted before the server listens: until then requests wait in the queue of the socket. The first
 * connection is the host's and carries no request: it is closed, which tells the host that the server listens.
 */
'use strict';
const net = require('node:net');

const LISTEN_DESCRIPTOR = 4;
const RETRY_MS = 10;
const HOSTS = ['127.0.0.1', '::1'];

const port = Number(process.env.PORT);

// A server that cannot be reached is of no use: with the shell that started us both ends the sandbox.
process.once('exit', () => process.kill(process.ppid, 'SIGKILL'));

/** Some servers listen on one address only. */
function waitForServer(turn) {
  const host = HOSTS[turn % HOSTS.length];
  const probe = net.connect({ port, host });
  probe.once('connect', () => {
    probe.destroy();
    listen(host);
  });
  probe.once('error', () => setTimeout(waitForServer, RETRY_MS, turn + 1));
}

function listen(host) {
  let isFirst = true;
  const door = net.createServer({ allowHalfOpen: true, noDelay: true }, (from) => {
    if (isFirst) {
      isFirst = false;
      from.once('error', () => undefined);
      from.destroy();
      return;
    }
    const to = net.connect({ port, host, allowHalfOpen: true, noDelay: true });
    from.pipe(to);
    to.pipe(from);
    const end = () => {
      from.destroy();
      to.destroy();
    };
    from.once('error', end);
    to.once('error', end);
  });
  door.listen({ fd: LISTEN_DESCRIPTOR });
}

waitForServer(0);
