import { type Readable } from 'node:stream';

/**
 * What bubblewrap, not the program in it, says about the sandbox: the process id of pid 1 inside, as the host sees it.
 */
export class LaunchInfo {
  /** Settles when it is known; stays open when bubblewrap ends before. */
  readonly known: Promise<void>;

  /** Settles when bubblewrap says no more. */
  readonly ended: Promise<void>;

  private text = '';
  private pid: number | null = null;

  constructor(stream: Readable, onKnown: (initPid: number) => void) {
    this.ended = new Promise((resolve) => {
      stream.once('close', resolve);
      stream.on('error', () => {
        resolve();
      });
    });
    this.known = new Promise((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        this.text += chunk.toString('latin1');
        const found = /"child-pid": (\d+)/.exec(this.text)?.[1];
        if (found === undefined || this.pid !== null) return;
        this.pid = Number(found);
        onKnown(this.pid);
        resolve();
      });
    });
  }

  get initPid(): number {
    if (this.pid === null) throw new Error('The program has not started yet.');
    return this.pid;
  }

  /** With `tellsExit`, after the end: false when the sandbox could not be made, or the program not be started in it. */
  get programRan(): boolean {
    return this.text.includes('"exit-code"');
  }

  whenKnown(use: (initPid: number) => void): void {
    if (this.pid !== null) use(this.pid);
  }
}
