import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { type Plan, PLAN_IDS, PLANS } from '../../plans/plan.js';
import type { PackageChoice } from '../domain/packages.js';
import { OUTPUT_BYTES, PROCESSES, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { ExecutionBeyondPlan } from '../sandbox.errors.js';

const MEBIBYTE = 1_048_576;

/** The limits that a caller asks for. The default is what warm sandboxes have. */
export interface LimitsInput {
  readonly timeoutMs?: number | undefined;
  readonly memoryMib?: number | undefined;
  /** True when the execution sends its files. */
  readonly artifacts?: boolean | undefined;
  /** True when the execution may connect to hosts. */
  readonly network?: boolean | undefined;
}

/**
 * Returns the limits of an execution on this plan. By default they are those of the warm sandboxes, even if the plan
 * allows more: any other amount of memory needs a new sandbox, which takes longer to start.
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
    ...(input.network === true && !bounds.network ? [networkFault(plan)] : []),
  ];
  if (faults.length > 0) throw new ExecutionBeyondPlan(faults, hintFor(input));
  return {
    timeoutMs: input.timeoutMs ?? Math.min(warm.timeoutMs, bounds.timeoutMs),
    memoryBytes:
      input.memoryMib === undefined
        ? Math.min(warm.memoryBytes, bounds.memoryMib * MEBIBYTE)
        : input.memoryMib * MEBIBYTE,
    outputBytes: OUTPUT_BYTES,
    processes: PROCESSES,
    ...(input.artifacts === true ? { artifactBytes: bounds.artifactMib * MEBIBYTE } : {}),
  };
}

/**
 * Sets are for everybody; packages by name are part of the plans that are paid for.
 *
 * @throws {ExecutionBeyondPlan} `invalid_request`
 */
export function requirePackages({ id, name }: Plan, choice: PackageChoice | undefined): void {
  if (choice === undefined || choice.set !== undefined || id !== 'free') return;
  const message = `packages cannot be installed on the ${name} plan`;
  throw new ExecutionBeyondPlan(
    [{ path: 'packages', in: 'body', code: 'plan', message }],
    `Upgrade to ${PLANS.builder.name} to install packages, or use package_set, which every plan has.`,
  );
}

function faultOf(path: string, requested: number | undefined, bound: number, { name }: Plan): FieldFault[] {
  if (requested === undefined || requested <= bound) return [];
  return [
    {
      path,
      in: 'body',
      code: 'max',
      message: `${path} must be at most ${bound} on the ${name} plan`,
      expected: { max: bound },
      received: requested,
    },
  ];
}

const networkFault = ({ name }: Plan): FieldFault => ({
  path: 'network',
  in: 'body',
  code: 'plan',
  message: `executions have no network on the ${name} plan`,
});

/** Names the smallest plan that allows the requested limits. */
function hintFor({ timeoutMs = 0, memoryMib = 0, network = false }: LimitsInput): string {
  const enough = PLAN_IDS.map((id) => PLANS[id]).find(
    ({ sandbox }) => timeoutMs <= sandbox.timeoutMs && memoryMib <= sandbox.memoryMib && (!network || sandbox.network),
  );
  if (enough === undefined) return 'No plan allows this much. Lower timeout_ms or memory_mib.';
  const { timeoutMs: maxTimeoutMs, memoryMib: maxMemoryMib } = enough.sandbox;
  if (network) return `Upgrade to ${enough.name}: its executions can connect to hosts that they name.`;
  return `Upgrade to ${enough.name}: it allows timeout_ms up to ${maxTimeoutMs} and memory_mib up to ${maxMemoryMib}.`;
}
