import { type ExecutionStatus, type Language, PROCESSES } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { setTimeout as sleep } from 'node:timers/promises';

import { Canaries } from './canaries.js';
import { AS_ROOT, LIMITS, type Mode, MODES, openMode, type OpenMode } from './modes.js';
import { type SessionInMode, SessionsInMode } from './session-calls.js';
import { isOfSession, type RunKind, runKindOf, type SessionKind } from './soak-kinds.js';
import { cgroupsOf, hostPid, residentBytes, templatesOf, traces, untilNoMoreThan } from './traces.js';

/** In all modes that can be had here together. */
const RUNS = Number(process.env.SOAK_RUNS ?? 5_000);
const AT_A_TIME = 4;
const MEBIBYTE = 1024 * 1024;
const SESSION_LIMITS = { memoryBytes: 256 * MEBIBYTE, processes: 32, filesBytes: 32 * MEBIBYTE };
/** What one session does, so that sessions begin and end, too. */
const WORKS_OF_A_SESSION = 20;
/** No time limit of a run or of a start is nearly as long. */
const HANGS_MS = 90_000;
/**
 * A heap grows and shrinks by some, and output of a mebibyte at a time by more. In 20,000 runs in all modes, a leak of
 * 10 KiB for each run would not pass this.
 */
const FLAT_WITHIN_BYTES = 24 * MEBIBYTE;
/** A template has no code of anybody, and so nothing that grows and shrinks. */
const TEMPLATES_FLAT_WITHIN_BYTES = 4 * MEBIBYTE;
/** One that was replaced is looked at again after six seconds. */
const TEMPLATE_ENDS_WITHIN_MS = 10_000;

const modes = MODES.filter(({ user }) => AS_ROOT || user === 'ordinary');
const all = { runs: 0, hangs: 0, seconds: 0 };

/** What grows when something is kept that a run has needed. */
interface Memory {
  readonly host: number;
  readonly sessions: number;
  readonly templates: readonly number[];
}

/** Runs of all kinds in one mode, several at a time. */
class Soak {
  readonly wrong: unknown[] = [];
  hangs = 0;
  private readonly open: OpenMode;
  private readonly sessions: SessionsInMode;
  /** The session of each lane and language, and what it may still do. */
  private readonly live = new Map<string, { readonly session: SessionInMode; left: number }>();

  constructor(mode: Mode) {
    this.open = openMode(mode, 3);
    this.sessions = new SessionsInMode(mode);
  }

  async begin(): Promise<void> {
    expect(await this.open.runtime.probe()).toMatchObject({ available: true });
  }

  get pids(): readonly [host: number, sessions: number] {
    return [hostPid(), this.sessions.pid];
  }

  memory(): Memory {
    const [host, sessions] = this.pids.map(residentBytes) as [number, number];
    return { host, sessions, templates: templatesOf(this.pids[0]).map(residentBytes) };
  }

  async runAll(from: number, to: number): Promise<void> {
    let next = from;
    const lane = async (_: unknown, number: number): Promise<void> => {
      while (next < to) await this.runOne(runKindOf(next++), number);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    await Promise.all([...this.live.values()].map(({ session }) => session.end()));
    this.live.clear();
  }

  /** Waits until nothing but what is kept ready is there. */
  async settle(): Promise<void> {
    const { runtime } = this.open;
    const isSettled = (): boolean =>
      runtime.readings.every(({ ready, size }) => ready === size) &&
      templatesOf(this.pids[0]).length <= runtime.readings.filter(({ forks }) => forks).length;
    for (let attempt = 0; attempt < 200 && !isSettled(); attempt++) await sleep(50);
    await sleep(300);
  }

  async close(): Promise<void> {
    await Promise.all([this.open.close(), this.sessions.close()]);
  }

  private async runOne(kind: RunKind | SessionKind, lane: number): Promise<void> {
    const work = isOfSession(kind) ? this.actIn(kind, lane) : this.run(kind);
    const noted = work.catch((error: unknown) => ({ status: String(error), stdout: '' }));
    const given = new AbortController();
    const late = sleep(HANGS_MS, { status: 'hangs', stdout: '' }, { signal: given.signal }).catch(() => never());
    const outcome = await Promise.race([noted, late]);
    given.abort();
    if (outcome.status === 'hangs') this.hangs += 1;
    if (!this.expected(kind).includes(outcome.status as ExecutionStatus))
      this.wrong.push({ kind, ...outcome, stdout: outcome.stdout.slice(0, 200) });
  }

  private run({ language, code, timeoutMs = 5_000, startsProcesses }: RunKind): ReturnType<OpenMode['runtime']['run']> {
    const limits = { ...LIMITS, timeoutMs, ...(startsProcesses === true ? { processes: PROCESSES } : {}) };
    return this.open.runtime.run({ id: 'exe_soak', language, code, stdin: '', limits });
  }

  private async actIn({ language, act }: SessionKind, lane: number): ReturnType<SessionKind['act']> {
    const place = `${lane} ${language}`;
    const live = this.live.get(place) ?? { session: await this.start(language), left: WORKS_OF_A_SESSION };
    live.left -= 1;
    this.live.set(place, live);
    const outcome = await act(live.session);
    if (live.left === 0) {
      this.live.delete(place);
      await live.session.end();
    }
    return outcome;
  }

  private start(language: Language): Promise<SessionInMode> {
    return this.sessions.start({ id: 'sbx_soak', language, limits: SESSION_LIMITS });
  }

  /** Where nothing counts processes, honest programs that start some fail. */
  private expected(kind: RunKind | SessionKind): readonly ExecutionStatus[] {
    const isRefused =
      !isOfSession(kind) &&
      kind.startsProcesses === true &&
      !this.open.runtime.readings.some(({ startsProcesses }) => startsProcesses);
    return isRefused && kind.statuses.includes('succeeded') ? ['failed'] : kind.statuses;
  }
}

it.each(modes)(
  'runs for a long time, $name, and leaves nothing behind',
  async (mode) => {
    const beganAt = performance.now();
    const canaries = await Canaries.release();
    const soak = new Soak(mode);
    await soak.begin();
    const runs = Math.ceil(RUNS / modes.length);
    const warmUp = Math.ceil(runs / 5);
    await soak.runAll(0, warmUp);
    await soak.settle();
    const before = { traces: traces(), memory: soak.memory() };
    const startedAt = performance.now();
    await soak.runAll(warmUp, runs);
    const seconds = (performance.now() - startedAt) / 1000;
    await soak.settle();
    const after = soak.memory();

    all.runs += runs;
    all.hangs += soak.hangs;
    all.seconds += (performance.now() - beganAt) / 1000;
    const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
    const both = (name: string, of: (memory: Memory) => number): string =>
      `${name} ${mebibytes(of(before.memory))} to ${mebibytes(of(after))}`;
    process.stdout.write(
      `${mode.name}: ${runs} runs, ${((runs - warmUp) / seconds).toFixed(0)} a second, ${soak.hangs} hangs, ` +
        `${soak.wrong.length} wrong. MiB: ${both('sandbox host', ({ host }) => host)}, ` +
        `${both('host of sessions', ({ sessions }) => sessions)}, ` +
        `${both(`${after.templates.length} templates`, ({ templates }) => sum(templates))}.\n`,
    );
    expect(soak.wrong.slice(0, 3)).toEqual([]);
    expect(after.host - before.memory.host).toBeLessThan(FLAT_WITHIN_BYTES);
    expect(after.sessions - before.memory.sessions).toBeLessThan(FLAT_WITHIN_BYTES);
    expect(after.templates.length).toBe(before.memory.templates.length);
    expect(sum(after.templates) - sum(before.memory.templates)).toBeLessThan(TEMPLATES_FLAT_WITHIN_BYTES);
    await untilNoMoreThan(before.traces, TEMPLATE_ENDS_WITHIN_MS);
    canaries.check();
    const { pids } = soak;
    await soak.close();
    expect(pids.flatMap((pid) => cgroupsOf(pid))).toEqual([]);
    canaries.removeAll();
  },
  600_000 + RUNS * 100,
);

afterAll(() => {
  process.stdout.write(`All modes: ${all.runs} runs, ${all.hangs} hangs, ${all.seconds.toFixed(0)} seconds.\n`);
});

const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);

const never = (): Promise<never> => new Promise(() => undefined);
