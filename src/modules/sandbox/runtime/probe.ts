import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Ended, IsolationDidNotStart, type ProcessesInside } from '../../../platform/isolation/isolation-spec.js';
import { type IsolatedTemplate } from '../../../platform/isolation/isolated-template.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { explainFailedStart } from '../../../platform/isolation/prerequisites.js';
import {
  type Language,
  LANGUAGES,
  PROCESSES,
  type SandboxOutcome,
  type SandboxReadiness,
} from '../domain/sandbox-runtime.js';
import { type Interpreter } from '../languages/interpreter.js';
import { type Interpreters, limitsOf } from './interpreters.js';
import { FORK_PROBE_CODE, PROBE_CODE } from './probe-code.js';
import { findBreaches, findForkBreaches, findOutsideBreaches, findSharedBetween } from './probe-findings.js';

export interface SandboxTools {
  readonly runtimes: Readonly<Record<Language, SandboxOutcome['runtime']>>;
}

export interface ProbeResult {
  readonly readiness: SandboxReadiness;
  /** Null when the sandbox is not available. */
  readonly tools: SandboxTools | null;
}

const PROBE_LIMITS = { memoryBytes: 256 * 1024 * 1024, cpuMs: 5_000 };
const PROBE_RUN_LIMITS = { wallMs: 5_000, cpuMs: 5_000, outputBytes: 64 * 1024 };

interface Probed {
  readonly language: Language;
  readonly version: string;
  readonly breaches: readonly string[];
}

/** Runs a program in each language and checks from inside and outside whether the isolation holds. */
export async function probeSandbox(isolation: Isolation, interpreters: Interpreters): Promise<ProbeResult> {
  const missing = [...isolation.missing(), ...interpreters.missing()];
  if (missing.length > 0) return unavailable(missing);

  try {
    await isolation.sweep();
    const probed = await Promise.all(LANGUAGES.map((language) => probeLanguage(isolation, interpreters, language)));
    const breaches = [...new Set(probed.flatMap((each) => each.breaches))];
    if (breaches.length > 0) return unavailable(breaches);

    const runtimes = Object.fromEntries(
      probed.map(({ language, version }) => [language, { name: interpreters.get(language).name, version }]),
    ) as SandboxTools['runtimes'];
    return { readiness: { available: true, mode: isolation.mode }, tools: { runtimes } };
  } catch (error) {
    return { readiness: readinessAfter(error), tools: null };
  }
}

/**
 * Starts a template of the interpreter and checks its forks before any of them gets work.
 * @throws {Error} when it does not start or a guarantee does not hold.
 */
export async function startTemplate(
  isolation: Isolation,
  interpreters: Pick<Interpreters, 'templateOf'>,
  { interpreter, processes }: { interpreter: Interpreter; processes: ProcessesInside },
): Promise<IsolatedTemplate> {
  const spec = await interpreters.templateOf(interpreter, processes);
  if (spec === null) throw new Error(`${interpreter.name} cannot fork.`);
  const template = await isolation.startTemplate(spec);
  try {
    const breaches = await probeForks(isolation, interpreter, template);
    if (breaches.length > 0) throw new Error(breaches.join('; '));
    return template;
  } catch (error) {
    await template.destroy();
    throw error;
  }
}

/** Derives what the machine lacks from a sandbox that failed to start. */
export function readinessAfter(error: unknown): SandboxReadiness {
  return {
    available: false,
    missing: error instanceof IsolationDidNotStart ? explainFailedStart(error.detail) : [String(error)],
  };
}

/**
 * Checks a fork as every other sandbox is checked, and two more for what they have in common.
 * @returns the guarantees that do not hold.
 */
async function probeForks(
  isolation: Isolation,
  interpreter: Interpreter,
  template: IsolatedTemplate,
): Promise<readonly string[]> {
  const [language] = interpreter.languages;
  const { processes } = template;
  const limits = limitsOf(interpreter, { ...PROBE_LIMITS, processes: processes === 'any' ? PROCESSES : 0 });
  const fork = (): Promise<IsolatedProcess> => isolation.fork(template, limits);
  const { breaches } = await probe(await fork(), interpreter, language!, isolation.mode);
  if (breaches.length > 0) return breaches;

  const [one, two] = await Promise.all([fork(), fork()]);
  const shared = findSharedBetween([one.initPid, two.initPid], { ownUsers: isolation.capacity < Infinity });
  const input = interpreter.input({ language: language!, code: FORK_PROBE_CODE[language!]! });
  const ended = await Promise.all([runProbe(one, input), runProbe(two, input)]);
  return [...shared, ...findForkBreaches(ended, processes)];
}

async function probeLanguage(isolation: Isolation, interpreters: Interpreters, language: Language): Promise<Probed> {
  const interpreter = interpreters.get(language);
  const sandbox = await isolation.start(await interpreters.specOf(interpreter, PROBE_LIMITS));
  return probe(sandbox, interpreter, language, isolation.mode);
}

async function probe(
  sandbox: IsolatedProcess,
  interpreter: Interpreter,
  language: Language,
  mode: Isolation['mode'],
): Promise<Probed> {
  const outside = findOutsideBreaches(sandbox.initPid, mode);
  const code = PROBE_CODE[language](interpreter.versionCode);
  const ended = await runProbe(sandbox, interpreter.input({ language, code }));
  const { version, breaches } = findBreaches(ended);
  return {
    language,
    version,
    breaches: [...outside, ...breaches].map((breach) => `${breach} (seen with ${language})`),
  };
}

function runProbe(sandbox: IsolatedProcess, input: Buffer): Promise<Ended> {
  return sandbox.run({ input, stdin: Buffer.alloc(0) }, PROBE_RUN_LIMITS);
}

function unavailable(missing: readonly string[]): ProbeResult {
  return { readiness: { available: false, missing }, tools: null };
}
