import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { type Plan, PLAN_IDS, PLANS } from '../../plans/plan.js';
import { PROCESSES } from '../domain/sandbox-runtime.js';
import { ExecutionBeyondPlan } from '../sandbox.errors.js';
import type { SessionLimits } from './host/session-process.js';

const MEBIBYTE = 1_048_576;

/**
 * Returns the limits of a session on this plan.
 *
 * @throws {ExecutionBeyondPlan} `invalid_request`
 */
export function sessionLimitsOf(
  plan: Plan,
  memoryMib: number | undefined,
  usual: { readonly memoryBytes: number },
): SessionLimits {
  const bound = plan.sandbox.memoryMib;
  if (memoryMib !== undefined && memoryMib > bound)
    throw new ExecutionBeyondPlan([faultOf(memoryMib, plan)], hintFor(memoryMib));
  const memoryBytes = memoryMib === undefined ? Math.min(usual.memoryBytes, bound * MEBIBYTE) : memoryMib * MEBIBYTE;
  // Files are in this memory. A full disk is an error that a program can handle; memory that runs out is not.
  return { memoryBytes, processes: PROCESSES, filesBytes: memoryBytes / 2 };
}

const faultOf = (memoryMib: number, { name, sandbox }: Plan): FieldFault => ({
  path: 'memory_mib',
  in: 'body',
  code: 'max',
  message: `memory_mib must be at most ${sandbox.memoryMib} on the ${name} plan`,
  expected: { max: sandbox.memoryMib },
  received: memoryMib,
});

function hintFor(memoryMib: number): string {
  const enough = PLAN_IDS.map((id) => PLANS[id]).find(({ sandbox }) => memoryMib <= sandbox.memoryMib);
  if (enough === undefined) return 'No plan allows this much. Lower memory_mib.';
  return `Upgrade to ${enough.name}: it allows memory_mib up to ${enough.sandbox.memoryMib}.`;
}
