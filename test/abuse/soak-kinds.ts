import { type ExecutionStatus, type Language } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { type SessionOutcome } from '../../src/modules/sandbox/sessions/host/session-process.js';
import { type SessionInMode } from './session-calls.js';

const HOSTILE_MS = 150;

export interface RunKind {
  readonly language: Language;
  readonly code: string;
  readonly statuses: readonly ExecutionStatus[];
  readonly timeoutMs?: number;
  /** Whether it may start processes, and so has another template. Where nothing counts them, honest ones fail. */
  readonly startsProcesses?: true;
}

export interface SessionKind {
  readonly language: Language;
  readonly statuses: readonly ExecutionStatus[];
  readonly act: (session: SessionInMode) => Promise<SessionOutcome>;
}

const kind = (
  language: Language,
  code: string,
  statuses: readonly ExecutionStatus[],
  more: Pick<RunKind, 'timeoutMs' | 'startsProcesses'> = {},
): RunKind => ({ language, code, statuses, ...more });
const BRIEF = { timeoutMs: HOSTILE_MS };

const HONEST: readonly RunKind[] = [
  kind('javascript', 'console.log([1, 2, 3].map((n) => n * n).join())', ['succeeded']),
  kind('typescript', "enum E { A = 'a' }\nconsole.log(await Promise.resolve(E.A))", ['succeeded']),
  kind('python', 'import json\nprint(json.dumps({"a": [1, 2]}))', ['succeeded']),
  kind('python', 'print(sum(range(100_000)))', ['succeeded']),
  kind('javascript', 'throw new TypeError("honest mistake")', ['failed']),
  kind('python', 'print(1', ['failed']),
];

const FORK_BOMB = 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass';

const HOSTILE: readonly RunKind[] = [
  kind('python', FORK_BOMB, ['timed_out'], BRIEF),
  kind(
    'python',
    'import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n' +
      '  except (OSError, ValueError): pass\nwhile True: pass',
    ['timed_out'],
    BRIEF,
  ),
  kind('python', "while True: print('x' * 65536)", ['output_limit']),
  kind('python', 'i = 0\nwhile True:\n  i += 1\n  open(f"/tmp/{i}", "w").close()', ['failed', 'out_of_memory']),
  kind('python', 'import os\nos.kill(-1, 9)\nos.kill(os.getpid(), 9)', ['failed']),
  kind('python', 'a = []\nwhile True: a.append(bytearray(10 ** 7))', ['out_of_memory']),
  kind('python', 'import os\nos.write(4, b"{" * 100_000)\nos._exit(0)', ['succeeded', 'failed']),
  kind('javascript', 'for (;;) ;', ['timed_out'], BRIEF),
  kind('javascript', "for (;;) process.stderr.write('x'.repeat(65536))", ['output_limit']),
  kind(
    'javascript',
    "const fs = require('fs'); for (const fd of [0, 1, 2, 3, 4, 5, 6]) try { fs.closeSync(fd) } catch {}\n" +
      "process.kill(process.pid, 'SIGKILL')",
    ['failed'],
  ),
  kind('javascript', 'process.abort()', ['failed']),
];

const ANY = { startsProcesses: true } as const;

/** Each fourth is hostile. */
const WITH_PROCESSES: readonly RunKind[] = [
  kind('python', 'import subprocess\nsubprocess.run(["/bin/echo", "1"], check=True)', ['succeeded'], ANY),
  kind('javascript', "require('node:child_process').execFileSync('/bin/echo', ['1'])", ['succeeded'], ANY),
  kind('python', 'import os, time\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(60)', ['succeeded'], ANY),
  kind('python', FORK_BOMB, ['timed_out', 'out_of_memory'], { ...ANY, ...BRIEF }),
];

const running =
  (code: string, timeoutMs: number): SessionKind['act'] =>
  (session) =>
    session.run(code, timeoutMs);

/** Each fourth is hostile. The next one finds the session as it was left. */
const IN_SESSIONS: readonly SessionKind[] = [
  { language: 'python', statuses: ['succeeded'], act: running('6 * 7', 5_000) },
  { language: 'javascript', statuses: ['succeeded'], act: running('6 * 7', 5_000) },
  { language: 'python', statuses: ['succeeded'], act: (session) => session.shell('echo 1 | cat > made', 5_000) },
  { language: 'python', statuses: ['timed_out'], act: running('while True: pass', HOSTILE_MS) },
  {
    language: 'javascript',
    statuses: ['succeeded'],
    act: async (session) => {
      await session.writeFile('written', Buffer.alloc(100_000));
      await session.freeze();
      return session.run('require("node:fs").statSync("written").size', 5_000);
    },
  },
  { language: 'python', statuses: ['succeeded'], act: running('import json\njson.dumps({"a": [1, 2]})', 5_000) },
  { language: 'javascript', statuses: ['failed'], act: running('throw new TypeError("honest mistake")', 5_000) },
  { language: 'javascript', statuses: ['failed'], act: running('process.abort()', 5_000) },
];

/**
 * Four of eight are honest and as short as most, one may start processes, one is of a session, and two are hostile:
 * they come in between, often several at a time.
 */
export function runKindOf(index: number): RunKind | SessionKind {
  const turn = Math.floor(index / 8);
  const place = index % 8;
  if (place === 2) return WITH_PROCESSES[turn % WITH_PROCESSES.length]!;
  if (place === 6) return IN_SESSIONS[turn % IN_SESSIONS.length]!;
  return index % 4 === 3 ? HOSTILE[Math.floor(index / 4) % HOSTILE.length]! : HONEST[index % HONEST.length]!;
}

export const isOfSession = (each: RunKind | SessionKind): each is SessionKind => 'act' in each;
