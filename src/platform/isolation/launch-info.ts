import { type Readable } from 'node:stream';

/** What bubblewrap itself, not the program in it, reports: the process id of pid 1 inside, as the host sees it. */
export class LaunchInfo {
  /** Resolves when the id is known; stays pending when bubblewrap ends before. */
  readonly known: Promise<void>;

  /** Resolves when bubblewrap has closed its report. */
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

  /** False after the end when the isolation or the program in it could not be started. It requires `tellsExit`. */
  get programRan(): boolean {
    return this.text.includes('"exit-code"');
  }

  whenKnown(use: (initPid: number) => void): void {
    if (this.pid !== null) use(this.pid);
  }
}
