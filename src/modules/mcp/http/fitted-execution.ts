import { cutToJson } from '../../../platform/text/cut-text.js';
import { type AnswerBody, MAX_TEXT_BYTES, sizeOf } from './tool-answers.js';

/** The longest note that something was cut. */
const CUT_NOTE_BYTES = 200;
const QUOTES_BYTES = 2;

/**
 * Shortens the longest texts of an execution until the whole fits, so that the results and files that it names behind
 * them are not cut off.
 */
export function fittedExecution(body: AnswerBody, goesOnWith: string | undefined): AnswerBody {
  const data = body['data'] as Execution | null | undefined;
  const length = sizeOf(body);
  if (length <= MAX_TEXT_BYTES || typeof data !== 'object' || data === null) return body;
  const results = Array.isArray(data.results) ? (data.results as readonly Shown[]) : [];
  const texts = [data.stdout, data.stderr, ...results.map(({ data: text }) => text)];
  const sizes = texts.flatMap((text) => (typeof text === 'string' ? [sizeOf(text)] : []));
  const room = MAX_TEXT_BYTES - (length - sizes.reduce((sum, size) => sum + size, 0));
  const most = shareOf(room, sizes) - CUT_NOTE_BYTES;
  const short = (text: unknown): unknown =>
    typeof text === 'string' && sizeOf(text) > most + CUT_NOTE_BYTES ? shortText(text, most, goesOnWith) : text;
  return {
    ...body,
    data: {
      ...data,
      ...('stdout' in data ? { stdout: short(data.stdout) } : {}),
      ...('stderr' in data ? { stderr: short(data.stderr) } : {}),
      ...(results.length === 0 ? {} : { results: results.map((each) => ({ ...each, ...shownData(each, short) })) }),
    },
  };
}

interface Execution {
  readonly stdout?: unknown;
  readonly stderr?: unknown;
  readonly results?: unknown;
}

interface Shown {
  /** Absent for an image, which is shown by itself. */
  readonly data?: unknown;
}

const shownData = (result: Shown, short: (text: unknown) => unknown): object =>
  result.data === undefined ? {} : { data: short(result.data) };

/** Returns what each may have at most so that all fit, when those that have less leave the rest to the others. */
function shareOf(room: number, sizes: readonly number[]): number {
  let left = room;
  const ascending = [...sizes].sort((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return room;
}

/** Cuts a text whose JSON must not be longer than this. */
function shortText(text: string, mostBytes: number, goesOnWith: string | undefined): string {
  const { text: kept } = cutToJson(text, mostBytes - QUOTES_BYTES, (json) => Buffer.byteLength(json));
  return `${kept.toWellFormed()}\n[Cut after ${kept.length} of ${text.length} characters. ${goesOnWith ?? ''}]`;
}
