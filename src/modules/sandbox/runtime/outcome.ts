import { constants } from 'node:os';

import { type CapturedOutput, type Ended } from '../../../platform/isolation/isolation-spec.js';
import { type Report, withPosition } from '../languages/report.js';
import { type ExecutionError, type ExecutionStatus, type SandboxOutcome } from '../domain/sandbox-runtime.js';

/** What V8 prints when it gives up; it then ends itself with a signal. */
const HEAP_EXHAUSTED = /(FATAL ERROR|Fatal process|Fatal JavaScript).*out of memory/;

/** How programs say that they were refused memory and did not go on. */
const MEMORY_ERRORS: readonly Partial<Pick<ExecutionError, 'name' | 'message'>>[] = [
  { name: 'MemoryError' },
  { name: 'RangeError', message: 'Array buffer allocation failed' },
  { name: 'RangeError', message: 'Failed to allocate memory' },
];

/** Some numbers have two names: SIGABRT, the common one, stands before SIGIOT. */
const SIGNALS = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** Translates how an isolated process ended into what the sandbox tells. */
export function outcomeOf(ended: Ended, report: Report, runtime: SandboxOutcome['runtime']): SandboxOutcome {
  const end = endOf(ended, report);
  const stderr = textOf(ended.stderr);
  const status = statusOf(ended, report, { ...end, stderr });
  const error = status === 'succeeded' ? undefined : (limitError(ended) ?? errorOf(report, stderr));
  return {
    status,
    stdout: textOf(ended.stdout),
    stderr,
    ...end,
    durationMs: ended.durationMs,
    cpuMs: ended.cpuMs,
    memoryPeakBytes: ended.memoryPeakBytes,
    truncated: { stdout: ended.stdout.truncated, stderr: ended.stderr.truncated },
    runtime,
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Takes apart the one number in which bubblewrap folds exit codes and signals. Where it could be either, it is taken
 * for a signal unless the program reported that very exit: a lie then only names the same number differently.
 */
function endOf(ended: Ended, report: Report): { exitCode: number | null; signal: string | null } {
  const status = ended.exitStatus;
  if (status === null) return { exitCode: null, signal: 'SIGKILL' };

  const signal = SIGNALS.get(status - 128);
  if (signal === undefined || report.exit === status) return { exitCode: status, signal: null };
  return { exitCode: null, signal };
}

function statusOf(
  ended: Ended,
  report: Report,
  seen: { exitCode: number | null; signal: string | null; stderr: string },
): ExecutionStatus {
  switch (ended.cause) {
    case 'wall_time':
    case 'cpu_time':
      return 'timed_out';
    case 'memory':
      return 'out_of_memory';
    case 'output':
      return 'output_limit';
    case 'scratch_files':
    case 'tasks':
    case 'aborted':
      return 'failed';
    case 'exit':
      if (seen.exitCode === 0) return 'succeeded';
      if (seen.signal !== null && HEAP_EXHAUSTED.test(seen.stderr)) return 'out_of_memory';
      if (seen.signal === 'SIGXCPU') return 'timed_out';
      return isMemoryError(report.error) ? 'out_of_memory' : 'failed';
  }
}

function isMemoryError(error: ExecutionError | undefined): boolean {
  return (
    error !== undefined &&
    MEMORY_ERRORS.some(
      ({ name, message }) => error.name === name && (message === undefined || error.message === message),
    )
  );
}

function errorOf({ error }: Report, stderr: string): ExecutionError | undefined {
  return error === undefined ? undefined : withPosition(error, stderr);
}

/** The limits that have no status of their own say what they are. */
function limitError({ cause }: Ended): ExecutionError | undefined {
  if (cause === 'scratch_files')
    return { name: 'LimitExceeded', message: 'The run made more files in /tmp than it may.' };
  if (cause === 'tasks') return { name: 'LimitExceeded', message: 'The run started more threads than it may.' };
  return undefined;
}

/** A character cut in two by the limit is left out; other bytes that are not UTF-8 are shown as U+FFFD. */
function textOf(output: CapturedOutput): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(output.bytes, { stream: output.truncated });
}
