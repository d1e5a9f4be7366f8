import type { Plan } from '../../plans/plan.js';
import { PROCESSES } from '../domain/sandbox-runtime.js';
import { memoryBytesOf, requireWithin } from '../executions/plan-limits.js';
import type { SessionLimits } from './host/session-process.js';

/** What a session asks for that a plan bounds. */
interface SessionLimitsInput {
  readonly memoryMib?: number | undefined;
  /** True when the session may connect to hosts. */
  readonly network: boolean;
}

/**
 * Returns the limits of a session on this plan.
 *
 * @throws {ExecutionBeyondPlan} `invalid_request`
 */
export function sessionLimitsOf(
  plan: Plan,
  { memoryMib, network }: SessionLimitsInput,
  usual: { readonly memoryBytes: number },
): SessionLimits {
  requireWithin(plan, { what: 'sessions', bounds: { memory_mib: memoryMib }, network });
  const memoryBytes = memoryBytesOf(plan, memoryMib, usual);
  // Files are in this memory. A full disk is an error that a program can handle; memory that runs out is not.
  return { memoryBytes, processes: PROCESSES, filesBytes: memoryBytes / 2 };
}
