import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PlanId } from '../../src/modules/plans/plan.js';

/** Pieces of work that another process begins and ends, all at once. */
export interface SpenderOrder {
  readonly settings: Readonly<Record<string, string>>;
  readonly orgId: string;
  readonly plan: PlanId;
  readonly keys: readonly string[];
  /** Compute that each piece of work holds and uses. */
  readonly ms: number;
  readonly withinMs: number;
  /** The process dies by SIGKILL around the commit of this. */
  readonly kill?: { readonly in: 'begin' | 'end'; readonly at: 'before' | 'after' };
}

/**
 * Runs the order in another process. Returns how many pieces of work were paid and refused, by code, or undefined if
 * the process was killed.
 */
export async function spendApart(order: SpenderOrder): Promise<Record<string, number> | undefined> {
  const child = spawn(
    process.execPath,
    ['--require', join(__dirname, 'typescript-hook.cjs'), join(__dirname, 'spender.process.ts'), JSON.stringify(order)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [output, faults] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    faults += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`The spender ended with ${String(code ?? signal)}: ${faults}`);
  return JSON.parse(output) as Record<string, number>;
}
