import { constants } from 'node:os';

import { type CapturedOutput, type Ended } from '../../../platform/isolation/isolation-spec.js';
import { ANONYMOUS_LIMITS } from '../languages/interpreter.js';
import { type Report, withPosition } from '../languages/report.js';
import { type ExecutionError, type ExecutionStatus, type SandboxOutcome } from '../domain/sandbox-runtime.js';

/** V8 prints this when its heap is exhausted, and then ends itself with a signal. */
const HEAP_EXHAUSTED = /(FATAL ERROR|Fatal process|Fatal JavaScript).*out of memory/;

/** The uncaught errors of programs that were refused memory. */
const MEMORY_ERRORS: readonly Partial<Pick<ExecutionError, 'name' | 'message'>>[] = [
  { name: 'MemoryError' },
  { name: 'RangeError', message: 'Array buffer allocation failed' },
  { name: 'RangeError', message: 'Failed to allocate memory' },
];

/** Some numbers have two names. Reversing the list keeps the common one: SIGABRT instead of SIGIOT. */
const SIGNALS = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** Translates the end of an isolated process into the outcome of a run. */
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
 * Separates exit codes from signals, which bubblewrap reports as one number. An ambiguous number counts as a signal,
 * unless the program reported exactly that exit status. A false report then only gives the same number another name.
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

/** The name of a signal, such as SIGKILL. */
export const signalName = (number: number): string | null => SIGNALS.get(number) ?? null;

/** True when V8 has ended itself because its heap was exhausted. */
export const isExhaustedHeap = (stderr: string): boolean => HEAP_EXHAUSTED.test(stderr);

export function isMemoryError(error: ExecutionError | undefined): boolean {
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

/** Limits without a status of their own are reported as an error. */
function limitError({ cause }: Ended): ExecutionError | undefined {
  if (cause === 'scratch_files')
    return { name: 'LimitExceeded', message: `Too many files in /tmp: the limit is ${ANONYMOUS_LIMITS.scratchFiles}.` };
  if (cause === 'tasks')
    return {
      name: 'LimitExceeded',
      message: `Too many processes and threads: the limit is ${ANONYMOUS_LIMITS.tasks}.`,
    };
  return undefined;
}

/** Drops a character that the limit cut in two. Other invalid bytes are shown as U+FFFD. */
function textOf(output: CapturedOutput): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(output.bytes, { stream: output.truncated });
}
