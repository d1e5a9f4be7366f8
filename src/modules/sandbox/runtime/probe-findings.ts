import { type Ended, type ProcessesInside, REPORT_DESCRIPTOR } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { childOf, namespacesOf, processLimit, processStatus } from '../../../platform/isolation/process-facts.js';
import { ANONYMOUS_LIMITS } from '../languages/interpreter.js';
import { type SeenInFork, type SeenInside } from './probe-code.js';

export interface Findings {
  readonly version: string;
  /** The guarantees that do not hold, each named by what is missing. */
  readonly breaches: readonly string[];
}

/** A shell or bubblewrap may set these variables. Any other one came from the service's environment. */
const HARMLESS_VARIABLES = new Set(['', 'PWD', 'OLDPWD', 'SHLVL', '_', 'HOME', 'LANG']);

const NO_CAPABILITIES = /^0+$/;
const SECCOMP_FILTER = '2';

/** Checks the sandbox from outside, by what the host's kernel reports. */
export function findOutsideBreaches(initPid: number, mode: Isolation['mode']): string[] {
  const program = childOf(initPid);
  const status = program === null ? null : processStatus(program);
  if (program === null || status === null) return ['a running program, as seen by the host'];

  const uids = (status.Uid ?? '0').split(/\s+/);
  const inside = (status.NSpid ?? '').split(/\s+/).at(-1);
  return breaches([
    ['a user other than root', uids.every((uid) => uid !== '0')],
    ['a process id namespace', inside !== undefined && inside !== String(program)],
    ...privilegeChecks(status),
    ['a limit on open files', processLimit(program, 'Max open files') === ANONYMOUS_LIMITS.openFiles],
    ['no core dumps', processLimit(program, 'Max core file size') === 0],
    ['a limit on memory', mode !== 'rlimits' || processLimit(program, 'Max data size') !== null],
  ]);
}

/** Checks the sandbox from inside, by what the probe's program prints. */
export function findBreaches(ended: Ended): Findings {
  const [version = '', json = ''] = ended.stdout.bytes.toString('utf8').split('\n');
  if (ended.cause !== 'exit' || ended.exitStatus !== 0) {
    const errorText = ended.stderr.bytes.toString('utf8').trim().slice(-500);
    return {
      version,
      breaches: [`a run that succeeds (${ended.cause}, exit status ${ended.exitStatus ?? 'none'}): ${errorText}`],
    };
  }

  const seen = JSON.parse(json) as SeenInside;
  const status = Object.fromEntries(seen.status.split('\n').map((line) => line.split(':\t', 2) as [string, string]));
  return {
    version,
    breaches: breaches([
      ['a process id namespace of its own', seen.pid < 10],
      ['a network namespace', interfacesOf(seen.interfaces).every((name) => name === 'lo')],
      ['no way to connect', ['EACCES', 'ENETUNREACH', 'EPERM'].includes(seen.connect)],
      ['a read-only root directory', seen.write === 'EROFS'],
      ['an empty environment of its first process', isClean(seen.environment)],
      ...privilegeChecks(status),
    ]),
  };
}

/** Checks by what the host's kernel reports that processes which run at the same time share nothing. */
export function findSharedBetween(initPids: readonly number[], { ownUsers }: { ownUsers: boolean }): string[] {
  const users = initPids.map((pid) => processStatus(pid)?.Uid ?? '');
  const namespaces = initPids.map((pid) => namespacesOf(pid));
  return breaches([
    ['a user of its own for each fork', !ownUsers || areDistinct(users)],
    [
      'namespaces of its own for each fork',
      namespaces.every(({ length }) => length > 0) && areDistinct(namespaces.flat()),
    ],
  ]);
}

/** Checks what two forks of one template have seen inside. */
export function findForkBreaches(forks: readonly [Ended, Ended], processes: ProcessesInside): string[] {
  const [one, two] = forks.map(({ stdout }) => JSON.parse(stdout.bytes.toString('utf8')) as SeenInFork);
  const held = [one, two].flatMap((seen) => seen?.descriptors ?? []);
  return breaches([
    ['a filter of its own for each fork', [one, two].every((seen) => seen?.isolatedFork === 'EPERM')],
    [
      'the filter of its kind for each fork',
      [one, two].every((seen) => seen?.fork === (processes === 'any' ? 'allowed' : 'EPERM')),
    ],
    ['no descriptors of the template', held.every((descriptor) => Number(descriptor) <= REPORT_DESCRIPTOR)],
    ['randomness of its own for each fork', one!.random.every((value, index) => value !== two!.random[index])],
  ]);
}

const areDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

type Check = readonly [what: string, holds: boolean];

function privilegeChecks(status: Readonly<Record<string, string>>): Check[] {
  return [
    ['a seccomp filter', status.Seccomp?.trim() === SECCOMP_FILTER],
    ['no capabilities', NO_CAPABILITIES.test(status.CapEff ?? '') && NO_CAPABILITIES.test(status.CapPrm ?? '')],
    ['no_new_privs', status.NoNewPrivs?.trim() === '1'],
  ];
}

function breaches(checks: readonly Check[]): string[] {
  return checks.filter(([, holds]) => !holds).map(([what]) => `isolation: ${what}`);
}

function interfacesOf(table: string): string[] {
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.split(':')[0]!.trim())
    .filter((name) => name !== '');
}

/** The name of an error means that the environment cannot be read, which is just as safe. */
function isClean(environment: string): boolean {
  return environment
    .split('\0')
    .every((entry) => HARMLESS_VARIABLES.has(entry.split('=')[0]!) || /^E[A-Z]+$/.test(entry));
}
