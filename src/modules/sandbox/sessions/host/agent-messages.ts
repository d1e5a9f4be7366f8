import { type OutputStream } from '../../../../platform/isolation/isolation-spec.js';
import { RICH_RESULT_TYPES, type RichResultType } from '../../domain/rich-result.js';
import { type ExecutionError } from '../../domain/sandbox-runtime.js';
import { readReport } from '../../languages/report.js';
import { type Frame } from './frames.js';
import { type SessionFile } from './session-process.js';

/** What the host asks the agent for. Code and commands are the body, followed by the standard input. */
export type AgentRequest =
  | {
      readonly op: 'start';
      readonly command: readonly string[];
      /** The limit of reserved memory of the interpreter, if it has one. */
      readonly data_bytes: number | null;
      /** What leads to the way out, for a session that has one. */
      readonly egress: readonly string[] | null;
    }
  | {
      readonly op: 'run' | 'shell';
      readonly id: number;
      /** The size of the standard input. */
      readonly stdin: number;
      readonly output_bytes: number;
    }
  | { readonly op: 'interrupt' | 'kill'; readonly id: number }
  | { readonly op: FileOperation; readonly id: number; readonly path: string }
  /** The body says how much is wanted of the artifacts. The answer is the first piece, empty when there is none. */
  | { readonly op: 'collect'; readonly id: number }
  | { readonly op: 'collect_more'; readonly id: number }
  /** The body names those of the artifacts that are kept: they are removed inside, unless they have changed. */
  | { readonly op: 'collected'; readonly id: number };

export type FileOperation = 'list' | 'read' | 'write' | 'remove';

/** What the agent says. It is untrusted: the code of the session could have taken its place. */
export type AgentMessage =
  | { readonly op: 'ready'; readonly version: string }
  | { readonly op: 'begun'; readonly id: number }
  | { readonly op: 'output'; readonly id: number; readonly stream: OutputStream; readonly chunk: Buffer }
  | { readonly op: 'over'; readonly id: number; readonly stream: OutputStream }
  | { readonly op: 'result'; readonly id: number; readonly type: RichResultType; readonly data: Buffer }
  | JobEnd
  | { readonly op: 'answer'; readonly id: number; readonly fault: string | null; readonly body: Buffer };

/** How a run or a command ended. */
export interface JobEnd {
  readonly op: 'ended';
  readonly id: number;
  /** True when variables were lost. */
  readonly lost: boolean;
  readonly exit: number | null;
  readonly signal: number | null;
  /** Why it did not start. */
  readonly fault: 'start' | 'processes' | null;
  readonly error: ExecutionError | undefined;
  /** What the agent has measured, which the host bounds by what it has measured itself. */
  readonly ms: number;
}

const LARGEST_SIGNAL = 64;
const VERSION = /^[\w.+-]{1,40}$/;
const MAX_ENTRIES = 1_000;
const MAX_NAME_LENGTH = 1_024;
const ENTRY_TYPES = ['file', 'directory', 'other'] as const;

/** Returns null for what no agent says. */
export function messageIn({ header, body }: Frame): AgentMessage | null {
  const { op, id, stream } = header;
  if (op === 'ready') return readyIn(header);
  if (!isId(id)) return null;
  if (op === 'begun') return { op, id };
  if (op === 'output' && isStream(stream)) return { op, id, stream, chunk: body };
  if (op === 'over' && isStream(stream)) return { op, id, stream };
  if (op === 'result') return resultIn(header.type, id, body);
  if (op === 'ended') return endIn(header, id);
  if (op === 'answer') return { op, id, fault: typeof header.fault === 'string' ? header.fault : null, body };
  return null;
}

/** Reads the answer to `list`. Returns null for what is none. */
export function entriesIn(body: Buffer, directory: string): readonly SessionFile[] | null {
  try {
    const entries: unknown = JSON.parse(body.toString('utf8'));
    if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) return null;
    const files = entries.map((entry: unknown) => entryIn(entry, directory));
    return files.every((file) => file !== null) ? files : null;
  } catch {
    return null;
  }
}

function entryIn(entry: unknown, directory: string): SessionFile | null {
  if (!Array.isArray(entry)) return null;
  const [name, type, size, modified] = entry as readonly unknown[];
  const known = ENTRY_TYPES.find((each) => each === type);
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || known === undefined) return null;
  const path = directory === '' ? name : `${directory}/${name}`;
  return { path, type: known, sizeBytes: wholeOf(size), modifiedAtMs: wholeOf(modified) };
}

function readyIn({ version }: Frame['header']): AgentMessage | null {
  return typeof version === 'string' && VERSION.test(version) ? { op: 'ready', version } : null;
}

function resultIn(type: unknown, id: number, body: Buffer): AgentMessage | null {
  const known = RICH_RESULT_TYPES.find((each) => each === type);
  return known === undefined ? null : { op: 'result', id, type: known, data: body };
}

function endIn({ lost, exit, signal, fault, error, ms }: Frame['header'], id: number): JobEnd {
  return {
    op: 'ended',
    id,
    lost: lost === true,
    exit: isWithin(exit, 255) ? exit : null,
    signal: isWithin(signal, LARGEST_SIGNAL) ? signal : null,
    fault: fault === 'start' || fault === 'processes' ? fault : null,
    error: error === undefined ? undefined : readReport(Buffer.from(JSON.stringify({ error }))).error,
    ms: typeof ms === 'number' && ms >= 0 ? ms : 0,
  };
}

const isStream = (value: unknown): value is OutputStream => value === 'stdout' || value === 'stderr';

const isId = (value: unknown): value is number => isWithin(value, Number.MAX_SAFE_INTEGER);

const isWithin = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

const wholeOf = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0);
