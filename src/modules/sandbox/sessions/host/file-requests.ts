import { type AgentMessage, type AgentRequest, type FileOperation } from './agent-messages.js';
import {
  SessionDiskFull,
  SessionEnded,
  SessionFileNotFound,
  SessionFileTooLarge,
  SessionPathInvalid,
} from './session-process.js';

const ANSWERS_WITHIN_MS = 30_000;
const MAX_PATH_BYTES = 4_000;
/** How many may wait at the same time. */
const MAX_PENDING = 64;

type Answer = Extract<AgentMessage, { op: 'answer' }>;

interface Pending {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface FileMeans {
  readonly send: (request: AgentRequest, body?: Buffer) => void;
  /** The session does not answer. It must end, which ends what waits. */
  readonly giveUp: () => void;
}

/** What the host asks of the files inside. */
export class FileRequests {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isClosed = false;

  constructor(private readonly means: FileMeans) {}

  async ask(op: FileOperation, path: string, body?: Buffer): Promise<Buffer> {
    if (!isInside(path) || (path === '' && op !== 'list'))
      throw new SessionPathInvalid('The path must be relative and stay below the working directory.');
    if (this.isClosed) throw new SessionEnded('The session has ended.');
    if (this.pending.size >= MAX_PENDING) throw new Error('Too many requests for files wait.');
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.means.giveUp();
      }, ANSWERS_WITHIN_MS);
      this.pending.set(id, { resolve, reject, timer });
      this.means.send({ op, id, path }, body);
    });
  }

  /** Returns false when nothing was asked. */
  answer({ id, fault, body }: Answer): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined) return false;
    this.pending.delete(id);
    clearTimeout(asked.timer);
    if (fault === null) asked.resolve(body);
    else asked.reject(errorOf(fault));
    return true;
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    while (this.pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  close(): void {
    this.isClosed = true;
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(new SessionEnded('The session has ended.'));
    }
    this.pending.clear();
  }
}

function errorOf(fault: string): Error {
  switch (fault) {
    case 'not_found':
      return new SessionFileNotFound('No file has this path.');
    case 'too_large':
      return new SessionFileTooLarge('The file is too large.');
    case 'full':
      return new SessionDiskFull('The working directory is full.');
    case 'invalid':
      return new SessionPathInvalid('Something else has this path.');
    default:
      return new Error('The session could not do this.');
  }
}

function isInside(path: string): boolean {
  return (
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    !path.startsWith('/') &&
    !path.includes('\0') &&
    !path.split('/').includes('..')
  );
}
