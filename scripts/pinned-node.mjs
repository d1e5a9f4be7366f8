/**
 * The project runs on the Node that package.json pins (`node-linux-*`), whichever Node launches it. npm links it into
 * node_modules/.bin, so that npm scripts and npx find it before the Node of the machine and no other process stays
 * behind. This module is for everything that is launched directly (`node scripts/start.mjs`, a process manager, an
 * editor): it starts the same program with the same arguments on the pinned Node.
 *
 * It must run before anything is installed: Node's standard library only.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'];

/** Ends the program when we are killed and cannot pass that on: our end of the pipe closes without a word. */
const WATCHDOG = 'read -r word || kill -TERM "$1" 2>/dev/null';

/**
 * Returns at once on the pinned Node, and where there is none: before `npm ci`, or on a system that its package is not
 * made for. Otherwise it does not return: the process becomes one of the pinned Node, or, where this Node cannot do
 * that (`process.execve` came with 22.15), waits for one and ends as it ends.
 */
export async function runOnPinnedNode() {
  const pinned = findPinnedNode();
  if (pinned === undefined) return;
  const args = [...process.execArgv, ...process.argv.slice(1)];
  if (process.execve !== undefined) {
    // It would announce itself as experimental.
    process.removeAllListeners('warning');
    process.execve(pinned, [pinned, ...args], process.env);
  }
  await becomeParentOf(spawn(pinned, args, { stdio: 'inherit' }));
}

/** Undefined where this process has no other Node to go to. */
function findPinnedNode() {
  const directory = fileURLToPath(new URL(`../node_modules/node-linux-${process.arch}`, import.meta.url));
  const program = join(directory, 'bin/node');
  if (!existsSync(program) || realpathSync(program) === realpathSync(process.execPath)) return undefined;
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (version === process.versions.node) return undefined;
  // A system without glibc has the file and cannot run it.
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0 ? program : undefined;
}

function becomeParentOf(child) {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  return new Promise((_resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      watchdog.stdin.end('over\n', () => process.exit(code ?? 128 + constants.signals[signal]));
    });
  });
}
