import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where a process ends itself, as if it had been killed there. */
export type WriterDeath =
  /** Around the first statement that has this text, and that is not before one with the text of `since`. */
  | { readonly statement: string; readonly when: 'before' | 'after'; readonly since?: string }
  | { readonly at: 'half of the body' | 'first blob deleted' };

export type WriterAct =
  | { readonly do: 'put'; readonly key: string; readonly content: string }
  | { readonly do: 'part'; readonly uploadId: string; readonly key: string; readonly content: string }
  | { readonly do: 'complete'; readonly uploadId: string; readonly key: string; readonly etag: string }
  | { readonly do: 'abort'; readonly uploadId: string }
  | { readonly do: 'delete'; readonly key: string }
  /** From one key to another, or to a part of an upload, by all bytes but the first. */
  | { readonly do: 'copy'; readonly from: string; readonly key: string; readonly contentType?: string }
  | { readonly do: 'copy part'; readonly from: string; readonly key: string; readonly uploadId: string }
  /** All buckets of the organization, as when it was deleted. */
  | { readonly do: 'remove buckets' }
  | { readonly do: 'sweep'; readonly what: 'reservations' | 'doomed' | 'uploads' | 'objects' | 'scrub' };

/** What another process does with the objects of a bucket. */
export interface WriterOrder {
  readonly settings: Readonly<Record<string, string>>;
  readonly bucket: { readonly id: string; readonly orgId: string };
  readonly act: WriterAct;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
  readonly death?: WriterDeath;
}

/** Runs the order in another process. Returns true if the process was killed, and false if it has done all of it. */
export async function writeApart(order: WriterOrder): Promise<boolean> {
  const program = ['--require', join(__dirname, 'typescript-hook.cjs'), join(__dirname, 'object-writer.process.ts')];
  const child = spawn(process.execPath, [...program, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let faults = '';
  child.stderr.on('data', (chunk: Buffer) => {
    faults += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal === 'SIGKILL') return true;
  if (code !== 0) throw new Error(`The writer ended with ${String(code ?? signal)}: ${faults}`);
  return false;
}
