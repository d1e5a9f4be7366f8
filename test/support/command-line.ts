import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildPackages } from './built-packages.js';

export const COMMAND = join(__dirname, '../../cli/bin/service.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** A person interrupts the command when it resolves. */
  readonly interruption?: Promise<unknown>;
}

/** The built command line as a user runs it, with its own home directory. */
export class CommandLine {
  home = '';

  constructor(private readonly url: () => string) {}

  start(): void {
    buildPackages();
    this.home = mkdtempSync(join(tmpdir(), 'service-cli-'));
  }

  stop(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  get credentialsFile(): string {
    return join(this.home, 'service/credentials.json');
  }

  /** The environment of the developer is not passed on. */
  get environment(): Record<string, string> {
    return { PATH: process.env['PATH']!, HOME: this.home, XDG_CONFIG_HOME: this.home, SERVICE_URL: this.url() };
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.spawn([process.execPath, COMMAND, ...args], options);
  }

  /**
   * Runs on a terminal and types each of the `answers` when its prompt appears. Returns the output of the terminal.
   */
  runOnTerminal(
    args: readonly string[],
    answers: readonly (readonly [after: string, answer: string])[],
    env: Record<string, string> = {},
  ): Promise<Ended> {
    const command = ['python3', '-c', TERMINAL, JSON.stringify(answers), process.execPath, COMMAND, ...args];
    return this.spawn(command, { env });
  }

  private async spawn(
    [program, ...args]: readonly string[],
    { env = {}, input = '', interruption }: RunOptions,
  ): Promise<Ended> {
    const child = spawn(program!, args, { cwd: this.home, env: { ...this.environment, ...env }, stdio: 'pipe' });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    void interruption?.then(() => child.kill('SIGINT'));
    const code = new Promise<number | null>((resolve) => {
      child.on('close', resolve);
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  }
}

const TERMINAL = `
import json, os, pty, sys
answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b''
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while answers and answers[0][0].encode() in shown:
        os.write(terminal, answers.pop(0)[1].encode() + b'\\r')
sys.stdout.write(shown.decode())
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** Creates one command line for the tests of a file. */
export function useCommandLine(url: () => string): CommandLine {
  const command = new CommandLine(url);
  beforeAll(() => {
    command.start();
  });
  afterAll(() => {
    command.stop();
  });
  return command;
}
