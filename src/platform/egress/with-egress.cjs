'use strict';
/**
 * Runs inside of the isolation: `node with-egress.cjs <program> [argument …]`. It forwards connections to
 * 127.0.0.1:3128 to the proxy's socket, the only way out, for as long as the program runs, and exits with the program's
 * status.
 */
const { spawn } = require('node:child_process');
const net = require('node:net');

const PORT = 3128;
const PROXY = '/run/egress/proxy';

const server = net.createServer((client) => {
  const proxy = net.connect(PROXY);
  client.on('error', () => proxy.destroy());
  proxy.on('error', () => client.destroy());
  client.pipe(proxy);
  proxy.pipe(client);
});

server.listen(PORT, '127.0.0.1', () => {
  const [program, ...args] = process.argv.slice(2);
  const child = spawn(program, args, { stdio: 'inherit' });
  child.once('error', (error) => {
    process.stderr.write(`${program}: ${error.message}\n`);
    process.exit(127);
  });
  child.once('exit', (status, signal) =>
    process.exit(signal === null ? status : 128 + (require('node:os').constants.signals[signal] ?? 0)),
  );
});
