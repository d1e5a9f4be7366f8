import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { RepositoriesSettings } from '../repositories.settings.js';
import { end, GitPrograms } from './git-programs.js';
import { RepositoriesHome } from './repositories-home.js';
import type { GitProcess } from './waiting-shell.js';

/**
 * The time limits of a clone or push: in total, and without a byte in either direction (git sends progress every 5 s).
 */
const WALL_MS = 30 * 60_000;
const SILENCE_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
const MAX_HEAD_BYTES = 8_192;
const PASSED_ON = new Set(['content-type', 'cache-control', 'expires', 'pragma']);

export const GIT_SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
export type GitService = (typeof GIT_SERVICES)[number];

export interface GitBody {
  readonly stream: Readable;
  readonly contentEncoding: string | undefined;
  /** The announced length; undefined if there is none. */
  readonly bytes: number | undefined;
}

export interface GitExchange {
  readonly repositoryId: string;
  readonly service: GitService;
  /** The value of git's own protocol header, for example `version=2`. */
  readonly protocol: string | undefined;
  /** Undefined for the listing of branches and tags, with which every exchange begins. */
  readonly body: GitBody | undefined;
  readonly userId: string;
  /** The limit of pushed data, unpacked. */
  readonly maxInputBytes: number;
  /** Sees the body on its way to git. */
  readonly onInput?: (chunk: Buffer) => void;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface GitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the rest of the answer, and resolves when git has ended. It does not end the destination. */
  sendTo(destination: Writable): Promise<void>;
  /** Ends the exchange at once, and resolves when git has ended. */
  stop(): Promise<void>;
}

/** Serves smart HTTP with `git http-backend`: one process for each exchange, streamed in both directions. */
@Injectable()
export class GitBackend {
  constructor(
    private readonly home: RepositoriesHome,
    private readonly programs: GitPrograms,
    private readonly settings: RepositoriesSettings,
  ) {}

  /** @throws {Error} when git fails before it answers, or when the caller disconnects. */
  async open(exchange: GitExchange): Promise<GitAnswer> {
    const running = new Running(await this.start(exchange), exchange);
    try {
      const { status, headers } = await running.head();
      return { status, headers, sendTo: (destination) => running.sendTo(destination), stop: () => running.stop() };
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  private start({ repositoryId, service, protocol, body, userId, maxInputBytes }: GitExchange): Promise<GitProcess> {
    return this.programs.start({
      args: ['git', 'http-backend'],
      fileBytes: this.settings.maxBytes * 2,
      settings: { 'receive.maxInputSize': String(maxInputBytes) },
      environment: {
        GIT_PROJECT_ROOT: this.home.directory,
        GIT_HTTP_EXPORT_ALL: '1',
        // Contains only our own id, and nothing of the requested path.
        PATH_INFO: `/${repositoryId}.git/${body === undefined ? 'info/refs' : service}`,
        REQUEST_METHOD: body === undefined ? 'GET' : 'POST',
        QUERY_STRING: body === undefined ? `service=${service}` : '',
        REMOTE_USER: userId,
        REMOTE_ADDR: '',
        // The length of the body is not passed on: if the body ended early, git would wait for the rest forever, and
        // burn a processor.
        ...(body === undefined ? {} : { CONTENT_TYPE: `application/x-${service}-request` }),
        ...(body?.contentEncoding === undefined ? {} : { HTTP_CONTENT_ENCODING: body.contentEncoding }),
        ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
      },
    });
  }
}

/** An exchange that is running. */
class Running {
  private readonly ended: Promise<unknown>;
  private readonly watch: NodeJS.Timeout;
  private readonly onAbort = (): void => {
    end(this.child);
  };
  private errors = '';
  private stopped = false;

  constructor(
    private readonly child: GitProcess,
    { body, signal, onInput }: GitExchange,
  ) {
    this.ended = once(child, 'close')
      .catch(() => undefined)
      .finally(() => {
        clearInterval(this.watch);
        signal.removeEventListener('abort', this.onAbort);
      });
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.errors.length < MAX_HEAD_BYTES) this.errors += chunk.toString();
    });
    this.watch = this.watchProgress();
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (signal.aborted) this.onAbort();
    if (body === undefined) child.stdin.end();
    else this.feed(body.stream, onInput);
  }

  async head(): Promise<{ status: number; headers: Record<string, string> }> {
    const lines = (await headOf(this.child.stdout)).split(/\r?\n/);
    const fields = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
    const status = Number(fields.find(([name]) => name === 'status')?.[1].slice(0, 3) ?? 200);
    // Our own checks run first, so that git itself should never refuse a request.
    if (status >= 400) throw new Error(`git http-backend answered ${status}: ${this.errors.trim()}`);
    return { status, headers: Object.fromEntries(fields.filter(([name]) => PASSED_ON.has(name))) };
  }

  async sendTo(destination: Writable): Promise<void> {
    const { stdout } = this.child;
    // To stop reading would break the pipe, and git would not clean up what it has not finished.
    const leave = (): void => {
      stdout.unpipe(destination).resume();
    };
    destination.once('close', leave);
    if (destination.destroyed) stdout.resume();
    else stdout.pipe(destination, { end: false });
    await this.ended;
    destination.off('close', leave);
    if (this.stopped) throw new Error('A clone or push took too long.');
  }

  async stop(): Promise<void> {
    end(this.child);
    await this.ended;
  }

  /** Discards what git does not read, because the caller would otherwise never get to read the answer. */
  private feed(stream: Readable, onInput: ((chunk: Buffer) => void) | undefined): void {
    const { stdin } = this.child;
    stdin.once('close', () => {
      stream.unpipe(stdin);
      stream.resume();
    });
    if (onInput !== undefined) stream.on('data', onInput);
    stream.pipe(stdin);
  }

  private watchProgress(): NodeJS.Timeout {
    const { stdin, stdout } = this.child as unknown as {
      stdin: { bytesWritten: number };
      stdout: { bytesRead: number };
    };
    const startedAt = performance.now();
    let moved = { bytes: 0, at: startedAt };
    const timer = setInterval(() => {
      const [bytes, now] = [stdin.bytesWritten + stdout.bytesRead, performance.now()];
      if (bytes !== moved.bytes) moved = { bytes, at: now };
      if (now - moved.at < SILENCE_MS && now - startedAt < WALL_MS) return;
      this.stopped = true;
      end(this.child);
    }, LOOK_EVERY_MS);
    timer.unref();
    return timer;
  }
}

/** Reads the head of a CGI answer; the body stays in the stream. */
function headOf(stdout: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const stop = (): void => {
      stdout.off('data', take).off('end', fail).off('error', fail).pause();
    };
    const fail = (): void => {
      stop();
      reject(new Error('git http-backend ended without an answer.'));
    };
    const take = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const end = /\r?\n\r?\n/.exec(read.subarray(0, MAX_HEAD_BYTES).toString('latin1'));
      if (end === null) {
        if (read.length > MAX_HEAD_BYTES) fail();
        return;
      }
      stop();
      const rest = read.subarray(end.index + end[0].length);
      if (rest.length > 0) stdout.unshift(rest);
      resolve(read.subarray(0, end.index).toString('latin1'));
    };
    stdout.on('data', take).once('end', fail).once('error', fail);
  });
}
