import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { type Plan, PLAN_IDS, PLANS } from '../../plans/plan.js';
import { OUTPUT_BYTES, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { ExecutionBeyondPlan } from '../sandbox.errors.js';

const MEBIBYTE = 1_048_576;

/** What an execution asks for; undefined: what the sandboxes that stand ready have. */
export interface LimitsInput {
  readonly timeoutMs?: number | undefined;
  readonly memoryMib?: number | undefined;
}

/**
 * What an execution in this plan may use. Without a input it gets what is kept warm, however much its plan allows: any
 * other amount of memory starts a sandbox of its own, which takes longer.
 *
 * @throws {ExecutionBeyondPlan} `invalid_request`
 */
export function limitsOf(
  plan: Plan,
  input: LimitsInput,
  warm: Pick<SandboxLimits, 'timeoutMs' | 'memoryBytes'>,
): SandboxLimits {
  const bounds = plan.sandbox;
  const faults = [
    ...faultOf('timeout_ms', input.timeoutMs, bounds.timeoutMs, plan),
    ...faultOf('memory_mib', input.memoryMib, bounds.memoryMib, plan),
  ];
  if (faults.length > 0) throw new ExecutionBeyondPlan(faults, hintFor(input));
  return {
    timeoutMs: input.timeoutMs ?? Math.min(warm.timeoutMs, bounds.timeoutMs),
    memoryBytes:
      input.memoryMib === undefined
        ? Math.min(warm.memoryBytes, bounds.memoryMib * MEBIBYTE)
        : input.memoryMib * MEBIBYTE,
    outputBytes: OUTPUT_BYTES,
  };
}

function faultOf(path: string, wanted: number | undefined, bound: number, { name }: Plan): FieldFault[] {
  if (wanted === undefined || wanted <= bound) return [];
  return [
    {
      path,
      in: 'body',
      code: 'max',
      message: `${path} must not be greater than ${bound} in the plan ${name}`,
      expected: { max: bound },
      received: wanted,
    },
  ];
}

/** The smallest plan in which it would have been allowed. */
function hintFor({ timeoutMs = 0, memoryMib = 0 }: LimitsInput): string {
  const enough = PLAN_IDS.map((id) => PLANS[id]).find(
    ({ sandbox }) => timeoutMs <= sandbox.timeoutMs && memoryMib <= sandbox.memoryMib,
  );
  if (enough === undefined) return 'No plan has as much.';
  return `The plan ${enough.name} allows timeout_ms up to ${enough.sandbox.timeoutMs} and memory_mib up to ${enough.sandbox.memoryMib}.`;
}
