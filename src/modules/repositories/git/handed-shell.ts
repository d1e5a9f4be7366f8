import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import type { GitProcess } from './waiting-shell.js';

/** A shell that the host of shells has started: what `ChildProcess` is for a child of our own. */
export class HandedShell extends EventEmitter implements GitProcess {
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  /** @param stdio all pipes of the shell, in the order of their descriptors. */
  constructor(
    readonly pid: number,
    readonly stdio: readonly Socket[],
  ) {
    super();
    for (const pipe of stdio) pipe.on('error', () => undefined);
    // Nothing comes from there, but its end does: nobody reads any longer.
    this.stdin.resume();
  }

  get stdin(): Socket {
    return this.stdio[0]!;
  }

  get stdout(): Socket {
    return this.stdio[1]!;
  }

  get stderr(): Socket {
    return this.stdio[2]!;
  }

  /** The host is asked about it, and keeps nobody alive. */
  ref(): void {
    for (const pipe of this.stdio) pipe.ref();
  }

  unref(): void {
    for (const pipe of this.stdio) pipe.unref();
  }

  /** The process has ended. `close` follows when all of its output has been read. */
  end(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.exitCode !== null || this.signalCode !== null) return;
    this.exitCode = code;
    this.signalCode = signal;
    const [input, stdout, stderr, ...others] = this.stdio;
    for (const pipe of [input!, ...others]) pipe.destroy();
    const outputs = [stdout!, stderr!];
    // Output that nobody has asked for would never be read to its end.
    for (const output of outputs) if (!output.isPaused()) output.resume();
    void Promise.all(outputs.map(closed)).then(() => this.emit('close', code, signal));
  }
}

const closed = (pipe: Socket): Promise<unknown> => (pipe.closed ? Promise.resolve() : once(pipe, 'close'));
