import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServersProcess {
  readonly node: ChildProcess;
  readonly postgres: { url: string; pid: number };
  readonly redis: { url: string; pid: number };
}

export interface ServersOptions extends SpawnOptions {
  readonly mode?: 'stay' | 'leave';
  /** A line of shell that runs before, such as a limit. */
  readonly before?: string;
}

/** Starts a process of its own that runs both servers. Rejects with the message of a start that fails. */
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

/** Whether a process runs; one that has ended and only waits to be noticed does not. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/cwd`);
}

/** @throws {Error} naming `what` when it has not come true in time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 5_000,
): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await sleep(20);
  }
}
