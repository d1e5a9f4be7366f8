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
  const { timeoutMs, memoryMib, network } = input;
  requireWithin(plan, { what: 'executions', bounds: { timeout_ms: timeoutMs, memory_mib: memoryMib }, network });
  return {
    timeoutMs: timeoutMs ?? Math.min(warm.timeoutMs, bounds.timeoutMs),
    memoryBytes: memoryBytesOf(plan, memoryMib, warm),
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

type Bounds = Plan['sandbox'];

const BOUNDS = {
  timeout_ms: ({ timeoutMs }: Bounds) => timeoutMs,
  memory_mib: ({ memoryMib }: Bounds) => memoryMib,
};

interface AskedOfPlan {
  readonly what: 'executions' | 'sessions';
  /** All fields of a request that a plan bounds, in the order of their faults. */
  readonly bounds: Partial<Record<keyof typeof BOUNDS, number | undefined>>;
  readonly network: boolean | undefined;
}

/** @throws {ExecutionBeyondPlan} `invalid_request`; its hint names the smallest plan that allows what was asked for. */
export function requireWithin(plan: Plan, asked: AskedOfPlan): void {
  const { what, network = false } = asked;
  const faults = fieldsOf(asked).flatMap(([path, requested]) => faultOf(path, requested, plan));
  if (network && !plan.sandbox.network) faults.push(networkFault(plan, what));
  if (faults.length > 0) throw new ExecutionBeyondPlan(faults, hintFor(asked));
}

/** Returns the memory that was asked for, or what is usual as far as the plan allows it. */
export const memoryBytesOf = (
  { sandbox }: Plan,
  memoryMib: number | undefined,
  usual: { readonly memoryBytes: number },
): number =>
  memoryMib === undefined ? Math.min(usual.memoryBytes, sandbox.memoryMib * MEBIBYTE) : memoryMib * MEBIBYTE;

const fieldsOf = ({ bounds }: AskedOfPlan): [keyof typeof BOUNDS, number | undefined][] =>
  Object.entries(bounds) as [keyof typeof BOUNDS, number | undefined][];

function faultOf(path: keyof typeof BOUNDS, requested: number | undefined, { name, sandbox }: Plan): FieldFault[] {
  const bound = BOUNDS[path](sandbox);
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

const networkFault = ({ name }: Plan, what: AskedOfPlan['what']): FieldFault => ({
  path: 'network',
  in: 'body',
  code: 'plan',
  message: `${what} have no network on the ${name} plan`,
});

function hintFor(asked: AskedOfPlan): string {
  const { what, network = false } = asked;
  const fields = fieldsOf(asked);
  const enough = PLAN_IDS.map((id) => PLANS[id]).find(
    ({ sandbox }) =>
      fields.every(([path, requested = 0]) => requested <= BOUNDS[path](sandbox)) && (!network || sandbox.network),
  );
  if (enough === undefined) return `No plan allows this much. Lower ${fields.map(([path]) => path).join(' or ')}.`;
  if (network) return `Upgrade to ${enough.name}: its ${what} can connect to hosts that they name.`;
  const most = fields.map(([path]) => `${path} up to ${BOUNDS[path](enough.sandbox)}`);
  return `Upgrade to ${enough.name}: it allows ${most.join(' and ')}.`;
}
