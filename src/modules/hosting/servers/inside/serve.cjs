/*
 * Runs inside the sandbox of an app: starts its server, and carries what comes in on the socket that the host has given us
 * to the port that the server listens on. The network in here is the app's own, so no other way leads to it.
 *
 * Nothing is accepted before the server listens: until then requests wait in the queue of the socket.
 */
'use strict';
const { spawn } = require('node:child_process');
const net = require('node:net');
const { constants } = require('node:os');

const LISTEN_DESCRIPTOR = 4;
const RETRY_MS = 10;
const HOSTS = ['127.0.0.1', '::1'];

const [command, ...rest] = process.argv.slice(2);
const port = Number(process.env.PORT);

const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

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
  const door = net.createServer({ allowHalfOpen: true, noDelay: true }, (from) => {
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
