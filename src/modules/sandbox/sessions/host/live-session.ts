import { type LaunchEnd } from '../../../../platform/isolation/launch-spec.js';
import { type IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { type ArtifactError, type ArtifactSink } from '../../domain/artifacts.js';
import { type OutputListener } from '../../domain/sandbox-runtime.js';
import { type AgentMessage, type AgentRequest, entriesIn, messageIn } from './agent-messages.js';
import { collectArtifacts } from './artifact-collection.js';
import { FileRequests } from './file-requests.js';
import { type Frame, frameOf, FrameReader } from './frames.js';
import { Outbox } from './outbox.js';
import { type JobResult, SessionJob } from './session-job.js';
import { type JobUsage, outcomeOfJob } from './session-outcome.js';
import {
  type ArtifactsWanted,
  COLLECT_GRACE_MS,
  MAX_SESSION_FILE_BYTES,
  SessionEnded,
  type SessionEndReason,
  type SessionFile,
  SessionFileTooLarge,
  type SessionOutcome,
  type SessionProcess,
  type SessionWork,
  type ShellWork,
} from './session-process.js';

const READY_WITHIN_MS = 20_000;
/** Code or command, and standard input, together. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** What one call needs beside its limits. */
interface Call {
  readonly kind: 'run' | 'shell';
  readonly text: string;
  readonly work: Omit<SessionWork, 'code'>;
  readonly signal: AbortSignal | undefined;
  readonly onOutput: OutputListener | undefined;
}

interface LiveFacts {
  /** The name of the program. */
  readonly interpreter: string;
  /** Called when a run or command begins. */
  readonly onBegin?: (() => void) | undefined;
}

/** What was true when a run began. */
interface Before {
  readonly cpuMs: number;
  readonly ranOutOfMemory: boolean;
}

/** One session: its isolated program, with the agent at the other end of the pipes. */
export class LiveSession implements SessionProcess {
  readonly ended: Promise<SessionEndReason>;
  /** Resolves when the interpreter waits for its first run. */
  readonly ready: Promise<void>;

  private readonly frames = new FrameReader();
  private readonly files: FileRequests;
  private readonly outbox: Outbox;
  private job: SessionJob | null = null;
  private lastId = 0;
  private version: string | undefined;
  private onReady: () => void = () => undefined;
  private isOver = false;
  private isEnding = false;
  private frozen = false;
  private freezing: Promise<void> | undefined;
  private wantsThaw = false;

  constructor(
    private readonly program: IsolatedProgram,
    private readonly facts: LiveFacts,
  ) {
    this.outbox = new Outbox(this.program.stdin);
    this.files = new FileRequests({
      send: (request, body) => {
        this.send(request, body);
      },
      unread: () => this.outbox.unreadBytes,
      giveUp: () => {
        this.giveUp();
      },
    });
    this.program.stdout.on('data', (piece: Buffer) => {
      this.take(piece);
    });
    this.program.stdin.on('error', () => undefined);
    this.ended = this.program.exited.then((end) => this.close(end));
    this.ready = this.becomesReady();
    this.ready.catch(() => undefined);
  }

  get isFrozen(): boolean {
    return this.frozen;
  }

  run(work: SessionWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome> {
    return this.begin({ kind: 'run', text: work.code, work, signal, onOutput });
  }

  shell(work: ShellWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome> {
    return this.begin({ kind: 'shell', text: work.command, work, signal, onOutput });
  }

  async listFiles(path: string): Promise<readonly SessionFile[]> {
    await this.wake();
    const directory = path === '.' ? '' : withoutSlashes(path);
    const entries = entriesIn(await this.files.ask('list', directory), directory);
    if (entries !== null) return entries;
    this.giveUp();
    throw new SessionEnded('The session does not answer as it must.');
  }

  async readFile(path: string): Promise<Buffer> {
    await this.wake();
    return this.files.ask('read', path);
  }

  async writeFile(path: string, content: Buffer): Promise<void> {
    if (content.length > MAX_SESSION_FILE_BYTES)
      throw new SessionFileTooLarge(`A file may have ${MAX_SESSION_FILE_BYTES} bytes.`);
    await this.wake();
    await this.files.ask('write', path, content);
  }

  async removeFile(path: string): Promise<void> {
    await this.wake();
    await this.files.ask('remove', path);
  }

  async collectArtifacts(
    wanted: ArtifactsWanted,
    sink: ArtifactSink,
    signal?: AbortSignal,
  ): Promise<readonly ArtifactError[]> {
    const stuck = setTimeout(() => {
      this.giveUp();
    }, wanted.withinMs + COLLECT_GRACE_MS);
    try {
      const ask = async (bounds?: { files: number; bytes: number }): Promise<Buffer> => {
        await this.wake();
        return this.files.collect(bounds);
      };
      return await collectArtifacts(wanted, sink, ask, signal);
    } finally {
      clearTimeout(stuck);
    }
  }

  async removeCollected(paths: readonly string[]): Promise<void> {
    await this.wake();
    // An agent that does not answer ends with its session, for which nobody needs to wait.
    this.files.collected(paths).catch(() => undefined);
  }

  async freeze(): Promise<void> {
    if (this.isOver || this.frozen) return;
    if (this.freezing === undefined) {
      this.wantsThaw = false;
      this.freezing = this.stopAll();
    }
    await this.freezing;
  }

  thaw(): void {
    if (this.freezing !== undefined) this.wantsThaw = true;
    if (!this.frozen) return;
    this.frozen = false;
    this.program.thaw();
    this.job?.resume();
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.program.destroy();
    await this.ended;
  }

  private async stopAll(): Promise<void> {
    await this.files.settled();
    this.job?.pause();
    await this.program.freeze();
    this.freezing = undefined;
    this.frozen = !this.isOver;
    // A request may have come between its wake-up and the freeze.
    if (this.wantsThaw || this.files.isWaiting || !this.program.isFrozen) this.thaw();
  }

  private async wake(): Promise<void> {
    if (this.isOver) throw new SessionEnded('The session has ended.');
    if (this.freezing !== undefined) {
      this.wantsThaw = true;
      await this.freezing;
    }
    this.thaw();
  }

  private async begin({ kind, text, work, signal, onOutput }: Call): Promise<SessionOutcome> {
    await this.wake();
    if (this.job !== null) throw new Error('The session already has a run.');
    const { timeoutMs, outputBytes } = work;
    const [body, stdin] = [Buffer.from(text), Buffer.from(work.stdin ?? '')];
    if (body.length + stdin.length > MAX_INPUT_BYTES) throw new Error(`A run may have ${MAX_INPUT_BYTES} bytes.`);
    const job = new SessionJob(
      { id: ++this.lastId, kind, timeoutMs, outputBytes, onOutput, signal },
      {
        send: (op, id) => {
          this.send({ op, id });
        },
        giveUp: () => {
          this.giveUp();
        },
      },
    );
    this.job = job;
    this.facts.onBegin?.();
    const before = { cpuMs: this.program.cpuMs, ranOutOfMemory: this.program.ranOutOfMemory };
    this.send({ op: kind, id: job.id, stdin: stdin.length, output_bytes: outputBytes }, Buffer.concat([body, stdin]));
    const result = await job.settled;
    return outcomeOfJob(job, result, await this.usageOf(result, before), {
      name: this.facts.interpreter,
      version: this.version ?? '',
    });
  }

  private async usageOf(result: JobResult, before: Before): Promise<JobUsage> {
    const since = (cpuMs: number): number => Math.max(0, cpuMs - before.cpuMs);
    if (result === 'session_ended') {
      const { cpuMs, memoryPeakBytes, cause } = await this.program.exited;
      return { cpuMs: since(cpuMs), memoryPeakBytes, ranOutOfMemory: cause === 'memory' };
    }
    const { cpuMs, memoryPeakBytes } = this.program;
    // Once it has happened, the kernel's answer no longer changes, and a signal is what tells.
    const isSuspect = result.signal !== null || !before.ranOutOfMemory;
    return {
      cpuMs: since(cpuMs),
      memoryPeakBytes,
      ranOutOfMemory: result.exit !== 0 && isSuspect && this.program.ranOutOfMemory,
    };
  }

  private send(request: AgentRequest, body?: Buffer): void {
    if (!this.isOver) this.outbox.send(frameOf(request, body));
  }

  private take(piece: Buffer): void {
    let frames: readonly Frame[];
    try {
      frames = this.frames.push(piece);
    } catch {
      this.giveUp();
      return;
    }
    for (const frame of frames) {
      const message = messageIn(frame);
      if (message === null || !this.accept(message)) {
        this.giveUp();
        return;
      }
    }
  }

  /** Returns false for what no agent says at this moment. */
  private accept(message: AgentMessage): boolean {
    if (message.op === 'ready') {
      this.version ??= message.version;
      this.onReady();
      return true;
    }
    if (message.op === 'answer') return this.files.answer(message);
    const { job } = this;
    if (job?.id !== message.id) return false;
    switch (message.op) {
      case 'begun':
        return job.begin();
      case 'output':
        return job.output(message.stream, message.chunk);
      case 'over':
        return job.over(message.stream);
      case 'result':
        return job.result(message.type, message.data);
      case 'ended':
        this.job = null;
        job.end(message);
        return true;
    }
  }

  /** Ends the session because something inside does not do what it must. */
  private giveUp(): void {
    void this.program.destroy();
  }

  private close(end: LaunchEnd): SessionEndReason {
    this.isOver = true;
    this.frozen = false;
    const { job } = this;
    this.job = null;
    job?.end('session_ended');
    this.files.close();
    this.outbox.clear();
    if (this.isEnding) return 'ended';
    return end.cause === 'memory' ? 'out_of_memory' : 'failed';
  }

  private async becomesReady(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const outcome = await Promise.race([
      new Promise<'ready'>((resolve) => {
        this.onReady = () => {
          resolve('ready');
        };
      }),
      this.ended,
      new Promise<'late'>((resolve) => {
        timer = setTimeout(resolve, READY_WITHIN_MS, 'late');
      }),
    ]);
    clearTimeout(timer);
    if (outcome !== 'ready') throw new SessionEnded(`The interpreter did not start: ${outcome}.`);
  }
}

/** Cuts slashes off the end, except for those of an absolute path, which is refused. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
