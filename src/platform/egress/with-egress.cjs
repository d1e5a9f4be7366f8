'use strict';
/**
 * Runs inside of the isolation: `node with-egress.cjs [--descriptors=<count>] <program> [argument …]`.
 * It forwards connections to ports of
 * 127.0.0.1 to sockets of the host, for as long as the program runs, and exits with the program's status. 3128 leads to
 * the proxy, the only way out, and a socket `tcp-<port>` is reached at its port. The program inherits the first three
 * descriptors, or as many as the option says.
 */
const { spawn } = require('node:child_process');
const { readdirSync } = require('node:fs');
const net = require('node:net');
const { join } = require('node:path');

const DIRECTORY = '/run/egress';
const PROXY_PORT = 3128;

/** Resolves when connections to the port are forwarded. */
function forward(port, path) {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = net.connect({ path, allowHalfOpen: true });
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
    client.pipe(service);
    service.pipe(client);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

const ports = readdirSync(DIRECTORY).flatMap((name) => {
  const port = name === 'proxy' ? PROXY_PORT : Number(/^tcp-(\d+)$/.exec(name)?.[1]);
  return Number.isInteger(port) ? [forward(port, join(DIRECTORY, name))] : [];
});

void Promise.all(ports).then(() => {
  const count = Number(/^--descriptors=(\d+)$/.exec(process.argv[2])?.[1] ?? 0);
  const [program, ...args] = process.argv.slice(count === 0 ? 2 : 3);
  const child = spawn(program, args, { stdio: Array.from({ length: count || 3 }, () => 'inherit') });
  child.once('error', (error) => {
    process.stderr.write(`${program}: ${error.message}\n`);
    process.exit(127);
  });
  child.once('exit', (status, signal) =>
    process.exit(signal === null ? status : 128 + (require('node:os').constants.signals[signal] ?? 0)),
  );
});
