'use strict';
/**
 * Runs inside of the isolation: `node with-egress.cjs [--descriptors=<count>] <program> [argument …]`.
 * It forwards connections to ports of
 * 127.0.0.1 to sockets of the host, for as long as the program runs, and exits with the program's status. 3128 leads to
 * the proxy, the only way out, and a socket `tcp-<port>` is reached at its port. The program inherits the first three
 * descriptors, or as many as the option says.
 */
const { spawn } = require('node:child_process');
const { accessSync, constants, readdirSync } = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const { join } = require('node:path');

const DIRECTORY = '/run/egress';
const PROXY_PORT = 3128;
const SHELL = '/bin/sh';

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

/**
 * Ends with the status. As it exits, Node waits for the threads of V8, and on rare occasions for ever: in the C library
 * one of them misses that it was woken. A process that becomes another program waits for none of its threads. Nodes
 * before 22.15 cannot do that, and not all places have a shell; these exit as Node does.
 */
function end(status) {
  if (process.execve !== undefined && isProgram(SHELL)) {
    // It would announce itself as experimental.
    process.removeAllListeners('warning');
    process.execve(SHELL, ['sh', '-c', `exit ${status}`], {});
  }
  process.exit(status);
}

/** A program that cannot be started would end this process as a crash. */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
    end(127);
  });
  child.once('exit', (status, signal) => end(signal === null ? status : 128 + (os.constants.signals[signal] ?? 0)));
});
