import { type ExecutionError, type ExecutionStatus } from '../../domain/sandbox-runtime.js';
import { isExhaustedHeap, isMemoryError, signalName } from '../../runtime/outcome.js';
import { type JobEnd } from './agent-messages.js';
import { type JobResult, type SessionJob } from './session-job.js';
import { type SessionOutcome } from './session-process.js';

/** What the host has observed. */
export interface JobUsage {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** True when the kernel has ended it, or something that it needed, because memory ran out. */
  readonly ranOutOfMemory: boolean;
}

const SESSION_ENDED: JobEnd = {
  op: 'ended',
  id: 0,
  lost: true,
  exit: null,
  signal: 9,
  fault: null,
  error: { name: 'SessionEnded', message: 'The session has ended.' },
  ms: 0,
};

const FAULTS: Readonly<Record<'start' | 'processes', ExecutionError>> = {
  start: {
    name: 'LimitExceeded',
    message: 'The interpreter could not be started: no memory or no processes are left.',
  },
  processes: { name: 'LimitExceeded', message: 'Too many processes and threads.' },
};

/** Translates the end of a run or command into its outcome. */
export function outcomeOfJob(
  job: SessionJob,
  result: JobResult,
  usage: JobUsage,
  runtime: SessionOutcome['runtime'],
): SessionOutcome {
  const end = result === 'session_ended' ? SESSION_ENDED : result;
  const stderr = job.textOf('stderr');
  const status = statusOf(job, end, usage.ranOutOfMemory, stderr);
  const error = status === 'succeeded' ? undefined : end.fault === null ? end.error : FAULTS[end.fault];
  return {
    status,
    stdout: job.textOf('stdout'),
    stderr,
    truncated: { ...job.truncated },
    exitCode: end.fault === null ? end.exit : null,
    signal: end.signal === null ? null : signalName(end.signal),
    durationMs: job.durationMs(end.ms, usage.cpuMs),
    cpuMs: usage.cpuMs,
    memoryPeakBytes: usage.memoryPeakBytes,
    results: job.results,
    ...(error === undefined ? {} : { error }),
    runtime,
    stateLost: end.lost,
  };
}

function statusOf(job: SessionJob, end: JobEnd, ranOutOfMemory: boolean, stderr: string): ExecutionStatus {
  if (job.cause === 'aborted') return 'failed';
  if (job.cause !== undefined) return job.cause;
  if (ranOutOfMemory || (end.signal !== null && isExhaustedHeap(stderr))) return 'out_of_memory';
  if (end.exit === 0 && end.fault === null) return 'succeeded';
  return isMemoryError(end.error) ? 'out_of_memory' : 'failed';
}
