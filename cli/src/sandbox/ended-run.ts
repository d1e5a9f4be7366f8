import { constants } from 'node:os';
import type { Run } from '@service/client';
import { EXIT } from '../failures.js';
import { printable } from '../terminal.js';
import type { SavedResults } from './saved-results.js';
import { showResults } from './shown-results.js';

/** The result of a run, with or without an account. */
export type EndedRun = Pick<
  Run,
  | 'id'
  | 'status'
  | 'exit_code'
  | 'signal'
  | 'stdout'
  | 'stderr'
  | 'truncated'
  | 'state_lost'
  | 'results'
  | 'artifacts'
  | 'artifact_errors'
>;

/** Prints the output of a run, and what {@link passBeside} prints. */
export async function pass(ended: EndedRun, saved: SavedResults): Promise<void> {
  process.stdout.write(ended.stdout ?? '');
  process.stderr.write(ended.stderr ?? '');
  await passBeside(ended, saved);
}

/** Shows the results of a run, and prints what a person should know of it beside its output. */
export async function passBeside(ended: EndedRun, saved: SavedResults): Promise<void> {
  const { status, truncated, state_lost: isLost, results = [], artifact_errors: errors = [] } = ended;
  await showResults(results, saved);
  for (const { path = 'artifacts', message } of errors)
    process.stderr.write(`service: ${printable(path)} is not kept: ${message}\n`);
  if (status === 'timed_out') process.stderr.write('service: the time limit is reached\n');
  if (status === 'out_of_memory') process.stderr.write('service: the memory limit is reached\n');
  if (status === 'cancelled' || status === 'lost') process.stderr.write(`service: the run was ${status}\n`);
  if (truncated?.stdout === true || truncated?.stderr === true)
    process.stderr.write('service: the output is too long; the rest is left out\n');
  if (isLost === true)
    process.stderr.write('service: the interpreter was replaced: variables are gone, files remain\n');
}

/** The codes are those of shells and `timeout`: 124 for a time-out, and 128 plus the signal for a killed program. */
export function exitCodeOfProgram({ status, exit_code = null, signal = null }: EndedRun): number {
  if (status === 'timed_out') return EXIT.timedOut;
  if (status === 'out_of_memory') return EXIT.outOfMemory;
  if (exit_code !== null) return exit_code;
  return signal === null
    ? EXIT.otherError
    : 128 + ((constants.signals as Readonly<Record<string, number>>)[signal] ?? 0);
}
