import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import * as host from '../../src/modules/sandbox/sessions/host/session-process.js';

const LOOP = `
import sys, json, io, contextlib, traceback, subprocess, time
g = {"__name__": "__main__"}
for line in sys.stdin:
    w = json.loads(line); out = io.StringIO(); err = io.StringIO(); code = 0
    t = time.time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            if w["kind"] == "run":
                exec(w["text"], g)
            else:
                p = subprocess.run(w["text"], shell=True, capture_output=True, text=True)
                out.write(p.stdout); err.write(p.stderr); code = p.returncode
        except BaseException:
            traceback.print_exc(); code = 1
    sys.__stdout__.write(json.dumps({"out": out.getvalue(), "err": err.getvalue(), "code": code, "ms": (time.time()-t)*1000}) + "\\n"); sys.__stdout__.flush()
`;

export function fakeSession(): host.SessionProcess {
  const cwd = mkdtempSync(join(tmpdir(), 'fake-session-'));
  const child = spawn('python3', ['-u', '-c', LOOP], { cwd });
  const answers: ((line: string) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => answers.shift()?.(line));
  let frozen = false;
  const ended = new Promise<host.SessionEndReason>((resolve) => child.once('exit', () => resolve('ended')));
  const thaw = (): void => {
    if (frozen) child.kill('SIGCONT');
    frozen = false;
  };
  const run = async (kind: string, text: string, signal?: AbortSignal, on?: any): Promise<host.SessionOutcome> => {
    thaw();
    const line = await new Promise<string>((resolve, reject) => {
      answers.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      void ended.then(() => reject(new Error('ended')));
      child.stdin.write(`${JSON.stringify({ kind, text })}\n`);
    });
    const { out, err, code, ms } = JSON.parse(line);
    if (out !== '') on?.([{ stream: 'stdout', text: out }]);
    return {
      status: code === 0 ? 'succeeded' : 'failed',
      stdout: out,
      stderr: err,
      truncated: { stdout: false, stderr: false },
      exitCode: code,
      signal: null,
      durationMs: ms,
      cpuMs: 1,
      memoryPeakBytes: 1,
      results: [],
      runtime: { name: 'python', version: '3.0.0' },
      stateLost: false,
    };
  };
  const at = (path: string): string => join(cwd, path);
  return {
    ended,
    get isFrozen() {
      return frozen;
    },
    run: (work, signal, on) => run('run', work.code, signal, on),
    shell: (work, signal, on) => run('shell', work.command, signal, on),
    async listFiles(path) {
      try {
        return readdirSync(at(path)).map((name) => {
          const facts = statSync(join(at(path), name));
          return {
            path: join(path, name),
            type: facts.isDirectory() ? 'directory' : 'file',
            sizeBytes: facts.size,
            modifiedAtMs: facts.mtimeMs,
          };
        });
      } catch {
        throw new host.SessionFileNotFound();
      }
    },
    async readFile(path) {
      try {
        return readFileSync(at(path));
      } catch {
        throw new host.SessionFileNotFound();
      }
    },
    async writeFile(path, content) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    async removeFile(path) {
      try {
        rmSync(at(path));
      } catch {
        throw new host.SessionFileNotFound();
      }
    },
    async freeze() {
      child.kill('SIGSTOP');
      frozen = true;
    },
    thaw,
    async end() {
      child.kill('SIGKILL');
      await ended;
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
