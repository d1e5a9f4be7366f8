import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GitOutcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The git of a developer in its own directory, without prompts. */
export class GitClient {
  readonly directory = mkdtempSync(join(tmpdir(), 'git-client-'));

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  /** Runs git in a directory below {@link directory}; and returns its outcome. */
  try(args: readonly string[], { cwd = '.', input }: { cwd?: string; input?: string } = {}): Promise<GitOutcome> {
    const child = spawn('git', [...args], {
      cwd: this.path(cwd),
      env: {
        PATH: process.env['PATH'],
        HOME: this.directory,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    // Git may have exited without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => {
        resolve({ status, stdout, stderr });
      });
    });
  }

  /** @throws {Error} with the output of git when it fails. */
  async run(args: readonly string[], options: { cwd?: string; input?: string } = {}): Promise<string> {
    const { status, stdout, stderr } = await this.try(args, options);
    if (status !== 0) throw new Error(`git ${args[0]!} ended with ${status}: ${stderr}`);
    return stdout.trim();
  }
}
