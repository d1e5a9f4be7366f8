import { type Isolation } from '../../../platform/isolation/isolation.js';
import { MAX_ARTIFACTS } from '../domain/artifacts.js';
import { type SandboxRun } from '../domain/sandbox-runtime.js';
import { type Refusals, type WorkOptions } from '../languages/work.js';

const WITHOUT_CGROUPS = 'because this machine limits memory without cgroups';

type Means = Pick<Isolation, 'mode' | 'countsProcesses' | 'countsSockets'>;

/** Returns what the interpreter needs to know about a run beside its code. */
export function workOptionsOf({ language, limits, options = {} }: SandboxRun, means: Means): WorkOptions {
  const { args, environment, timeZone, locale, typescript, check, richResults } = options;
  const bytes = limits.artifactBytes;
  return {
    ...(args === undefined ? {} : { args }),
    environment: {
      ...environment,
      ...(timeZone === undefined ? {} : { TZ: timeZone }),
      ...localeVariables(locale),
    },
    ...(language === 'typescript' && typescript !== undefined ? { typescript } : {}),
    ...(check === true ? { check } : {}),
    ...(language === 'python' && richResults === true ? { results: true } : {}),
    ...(bytes === undefined ? {} : { artifacts: { files: MAX_ARTIFACTS, bytes } }),
    refusals: refusalsOf(limits.processes ?? 0, means),
  };
}

function refusalsOf(processes: number, { mode, countsProcesses, countsSockets }: Means): Refusals {
  return {
    ...(processes === 0
      ? { processes: 'Processes are forbidden in the anonymous sandbox' }
      : countsProcesses
        ? {}
        : { processes: `Processes are not available here, ${WITHOUT_CGROUPS}` }),
    // V8 reserves more for each than the limit on reserved memory allows.
    ...(mode === 'rlimits' ? { workers: `Worker threads are not available here, ${WITHOUT_CGROUPS}` } : {}),
    ...(countsSockets ? {} : { sockets: `Sockets are not available here, ${WITHOUT_CGROUPS}` }),
  };
}

/** `de-DE` is `de_DE.UTF-8` to programs of the system. */
export function localeVariables(tag: string | undefined): Record<string, string> {
  if (tag === undefined) return {};
  const { language, region } = new Intl.Locale(tag).maximize();
  const name = `${language}_${region ?? ''}.UTF-8`;
  return { LANG: name, LC_ALL: name };
}
