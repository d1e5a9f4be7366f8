import type { SandboxLimits } from '../../domain/sandbox-runtime.js';
import type { SessionEnd } from '../../domain/session-state.js';
import type { SessionFile } from '../host/session-process.js';

/** Code, or a command of the shell, that is recorded as an execution. */
export interface RecordedWork {
  readonly do: 'run' | 'shell';
  readonly executionId: string;
  readonly orgId: string;
  /** The code, or the command. */
  readonly text: string;
  readonly stdin: string;
  readonly limits: SandboxLimits;
  /** Unix milliseconds until which it may wait for its turn. */
  readonly startBeforeMs: number;
  /** See `SandboxPayload`. */
  readonly keepsOutputMs?: number;
  /** True when nobody waits for its end: the answer comes when it has been taken. */
  readonly isDetached?: boolean;
}

/** What the holder of a session is asked to do. The content of a written file follows as bytes. */
export type SessionRequest =
  | RecordedWork
  | { readonly do: 'list' | 'read' | 'write' | 'remove'; readonly path: string }
  | { readonly do: 'freeze' }
  | { readonly do: 'end'; readonly reason: SessionEnd };

/** Why it was not done. */
export type SessionRefusal = 'gone' | 'busy' | 'file_not_found' | 'file_too_large' | 'disk_full' | 'path_invalid';

/** The content of a read file follows as bytes. */
export interface SessionAnswer {
  readonly refusal?: SessionRefusal;
  readonly files?: readonly SessionFile[];
}

export interface Message<Head> {
  readonly head: Head;
  readonly content: Buffer;
}

const LENGTH_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** The length of the head, the head as JSON, and the content. */
export function encodeMessage(head: object, content: Buffer = NOTHING): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, content]);
}

export function decodeMessage<Head>(message: Buffer): Message<Head> {
  const end = LENGTH_BYTES + message.readUInt32BE();
  return {
    head: JSON.parse(message.subarray(LENGTH_BYTES, end).toString()) as Head,
    content: message.subarray(end),
  };
}

/** Where the worker answers calls about its sessions. */
export const addressOfHolder = (workerId: string): string => `sandbox-sessions:${workerId}`;
