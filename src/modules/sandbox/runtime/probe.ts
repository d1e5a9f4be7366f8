import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Ended, IsolationDidNotStart } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { explainFailedStart } from '../../../platform/isolation/prerequisites.js';
import { type Language, LANGUAGES, type SandboxOutcome, type SandboxReadiness } from '../domain/sandbox-runtime.js';
import { type Interpreters } from './interpreters.js';
import { findBreaches, findOutsideBreaches } from './probe-findings.js';
import { PROBE_CODE } from './probe-code.js';

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

/** Derives what the machine lacks from a sandbox that failed to start. */
export function readinessAfter(error: unknown): SandboxReadiness {
  return {
    available: false,
    missing: error instanceof IsolationDidNotStart ? explainFailedStart(error.detail) : [String(error)],
  };
}

async function probeLanguage(isolation: Isolation, interpreters: Interpreters, language: Language): Promise<Probed> {
  const interpreter = interpreters.get(language);
  const sandbox = await isolation.start(await interpreters.specOf(interpreter, PROBE_LIMITS));
  const outside = findOutsideBreaches(sandbox.initPid, isolation.mode);
  const ended = await runProbe(
    sandbox,
    interpreter.input({ language, code: PROBE_CODE[language](interpreter.versionCode) }),
  );
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
