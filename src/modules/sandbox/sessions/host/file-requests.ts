import { type AgentMessage, type AgentRequest, type FileOperation } from './agent-messages.js';
import {
  SessionDiskFull,
  SessionEnded,
  SessionFileNotFound,
  SessionFileTooLarge,
  SessionPathInvalid,
} from './session-process.js';

/**
 * An agent that neither reads nor answers for this long is asked if it is there, and is given up when it says nothing
 * for as long again. On a busy machine it may need a minute for files that wait behind each other.
 */
const STUCK_AFTER_MS = 30_000;
/** Even for an agent that answers everything else. The caller has left long before. */
const ANSWERS_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 1_000;
const MAX_PATH_BYTES = 4_000;
/** How many may wait at the same time. */
const MAX_PENDING = 64;

type Answer = Extract<AgentMessage, { op: 'answer' }>;

interface Pending {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly askedAtMs: number;
}

interface FileMeans {
  readonly send: (request: AgentRequest, body?: Buffer) => void;
  /** How many bytes wait for the agent to read them. */
  readonly unread: () => number;
  /** The session does not answer. It must end, which ends what waits. */
  readonly giveUp: () => void;
}

/** What the host asks of the files inside. */
export class FileRequests {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isClosed = false;
  private watch: NodeJS.Timeout | undefined;
  private unread = 0;
  private movedAtMs = 0;
  private hasInquired = false;

  constructor(private readonly means: FileMeans) {}

  async ask(op: FileOperation, path: string, body?: Buffer): Promise<Buffer> {
    if (!isInside(path) || (path === '' && op !== 'list'))
      throw new SessionPathInvalid('The path must be relative and stay below the working directory.');
    this.requireRoom();
    return this.request((id) => {
      this.means.send({ op, id, path }, body);
    });
  }

  /** Asks for the first piece of the artifacts within these bounds, or for the next one. It is empty after the last. */
  async collect(bounds?: { readonly files: number; readonly bytes: number }): Promise<Buffer> {
    this.requireRoom();
    return this.request((id) => {
      if (bounds === undefined) this.means.send({ op: 'collect_more', id });
      else this.means.send({ op: 'collect', id }, Buffer.from(JSON.stringify(bounds)));
    });
  }

  /** Has the artifacts with these paths removed, before anything that is asked later. */
  async collected(paths: readonly string[]): Promise<void> {
    // One at a time, and needed: it does not have to wait for room.
    this.requireOpen();
    await this.request((id) => {
      this.means.send({ op: 'collected', id }, Buffer.from(JSON.stringify(paths)));
    });
  }

  /** True while something waits for an answer. */
  get isWaiting(): boolean {
    return this.pending.size > 0;
  }

  /** Returns false when nothing was asked. */
  answer({ id, fault, body }: Answer): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined) return false;
    this.pending.delete(id);
    this.moved();
    if (!this.isWaiting) this.stopWatch();
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
    this.stopWatch();
    for (const { reject } of this.pending.values()) reject(new SessionEnded('The session has ended.'));
    this.pending.clear();
  }

  private requireOpen(): void {
    if (this.isClosed) throw new SessionEnded('The session has ended.');
  }

  private requireRoom(): void {
    this.requireOpen();
    if (this.pending.size >= MAX_PENDING) throw new Error('Too many requests for files wait.');
  }

  private request(send: (id: number) => void): Promise<Buffer> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, askedAtMs: performance.now() });
      if (this.watch === undefined) this.moved();
      this.watch ??= setInterval(() => {
        this.look();
      }, LOOK_EVERY_MS);
      send(id);
      this.unread = this.means.unread();
    });
  }

  /** Nothing waits while the session is frozen, so that all of the time counts. */
  private look(): void {
    const unread = this.means.unread();
    if (unread < this.unread) this.moved();
    this.unread = unread;
    const now = performance.now();
    const [oldest] = this.pending.values();
    if (oldest !== undefined && now - oldest.askedAtMs > ANSWERS_WITHIN_MS) this.means.giveUp();
    else if (now - this.movedAtMs > 2 * STUCK_AFTER_MS) this.means.giveUp();
    else if (now - this.movedAtMs > STUCK_AFTER_MS && !this.hasInquired) this.inquire();
  }

  /** A directory that is being removed keeps nobody else waiting, so that the agent answers this. */
  private inquire(): void {
    this.hasInquired = true;
    this.request((id) => {
      this.means.send({ op: 'list', id, path: '.' });
    }).catch(() => undefined);
  }

  private moved(): void {
    this.movedAtMs = performance.now();
    this.hasInquired = false;
  }

  private stopWatch(): void {
    clearInterval(this.watch);
    this.watch = undefined;
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
