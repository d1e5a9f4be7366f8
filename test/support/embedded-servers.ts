import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from './patience.js';

export interface ServersProcess {
  readonly node: ChildProcess;
  readonly postgres: { url: string; pid: number };
  readonly redis: { url: string; pid: number };
}

export interface ServersOptions extends SpawnOptions {
  readonly mode?: 'stay' | 'leave';
  /** A shell command that runs before the start, such as `ulimit`. */
  readonly before?: string;
}

/** Starts both servers in a separate process. Rejects with the message if the start fails. */
export async function startServersProcess(
  dataDir: string,
  { mode = 'stay', before = ':', ...options }: ServersOptions = {},
): Promise<ServersProcess> {
  const node = spawn(
    '/bin/sh',
    [
      '-c',
      `${before}; exec "$@"`,
      'sh',
      process.execPath,
      '-r',
      join(__dirname, 'typescript-hook.cjs'),
      join(__dirname, 'embedded-servers.process.ts'),
      dataDir,
      mode,
    ],
    { cwd: '/', ...options, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  node.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const line = (await Promise.race([once(createInterface(node.stdout), 'line'), once(node, 'close')])) as unknown[];
  if (typeof line[0] !== 'string') throw new Error(errors);

  const answer = JSON.parse(line[0]) as { error?: string } & Omit<ServersProcess, 'node'>;
  if (answer.error !== undefined) throw new Error(answer.error);
  return { node, ...answer };
}

export async function killNow(node: ChildProcess): Promise<void> {
  const gone = once(node, 'exit');
  node.kill('SIGKILL');
  await gone;
}

/** Returns true if the process runs. A zombie does not count. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/cwd`);
}

/**
 * Waits until the condition holds; `withinMs` is for an idle machine. @throws {Error} that names `what` on a
 * time-out.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 5_000,
): Promise<void> {
  const limitMs = onThisMachine(withinMs);
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > limitMs) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await sleep(20);
  }
}
