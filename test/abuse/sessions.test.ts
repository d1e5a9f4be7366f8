import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Language } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { type SessionOutcome } from '../../src/modules/sandbox/sessions/host/session-process.js';
import { onThisMachine } from '../support/patience.js';
import {
  BOMBS,
  FOUND_BY_THEIR_OWNER,
  MUTINIES,
  PLUNDER,
  PLUNDER_IN_JAVASCRIPT,
  SLEEPLESS,
  SOCKET_BUFFERS_OF_A_SESSION,
  TREASURE,
  TREASURE_IN_JAVASCRIPT,
} from './attacks/between-sessions.js';
import { ESCAPE_ATTACKS } from './attacks/escapes.js';
import { networkAttacks } from './attacks/network.js';
import { Canaries } from './canaries.js';
import { AS_ROOT, MODES } from './modes.js';
import { type SessionInMode, SessionsInMode } from './session-calls.js';
import { cgroupsOf, traces, type Traces, untilNoMoreThan } from './traces.js';

const MEBIBYTE = 1024 * 1024;
const LIMITS = { memoryBytes: 192 * MEBIBYTE, processes: 32, filesBytes: 32 * MEBIBYTE };
const BOMB_MS = 400;
const FROZEN_MS = 1_500;
/** What the kernel may still count of the moment in which all was stopped. */
const STOPPING_MS = 200;

/** A session may start processes and have files in shared memory, and its channel has another number. */
const OF_EXECUTIONS_ONLY: ReadonlySet<string> = new Set([
  'files where none may be',
  'a forged result',
  'reading the channels',
  'a report without end',
  // No limit of processor time is the session's own.
  'more rights',
  // Below, with the limits of a session.
  'memory in the buffers of connections to itself',
]);

// Sessions do not fork a template, so that the fork server makes no mode of its own.
const modes = MODES.filter(({ user, forkServer }) => forkServer === 'auto' && (AS_ROOT || user === 'ordinary'));

describe.each(modes)('sessions $name', (mode) => {
  let canaries: Canaries;
  let sessions: SessionsInMode;
  let idle: Traces;
  let honest: SessionInMode;
  /** Where nothing counts what the kernel keeps for internet sockets, there are none. */
  let hasPorts: boolean;
  const started: SessionInMode[] = [];

  const start = async (language: Language = 'python'): Promise<SessionInMode> => {
    const session = await sessions.start({ id: 'sbx_abuse', language, limits: LIMITS });
    started.push(session);
    return session;
  };
  const run = (session: SessionInMode, code: string, timeoutMs = onThisMachine(8_000)): Promise<SessionOutcome> =>
    session.run(code, timeoutMs);
  const foundByTheirOwner = (language: 'python' | 'javascript'): string[] =>
    [...FOUND_BY_THEIR_OWNER[language], ...(hasPorts ? [FOUND_BY_THEIR_OWNER.ports[language]] : [])].sort();
  const endAll = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((session) => session.end()));
  };
  const honestAnswers = async (): Promise<void> => {
    const startedAt = performance.now();
    expect((await run(honest, 'kept + 1')).results[0]?.data).toBe('42');
    expect(performance.now() - startedAt).toBeLessThan(onThisMachine(2_000));
  };

  beforeAll(async () => {
    canaries = await Canaries.release();
    sessions = new SessionsInMode(mode);
    honest = await sessions.start({ id: 'sbx_honest', language: 'python', limits: LIMITS });
    expect(await sessions.mode()).toEqual(sessions.expectedMode ?? (expect.any(String) as string));
    hasPorts = (await sessions.mode()) !== 'rlimits';
    await run(honest, 'kept = 41');
    await (await start()).end();
    started.length = 0;
    await sleep(300);
    idle = traces();
  }, onThisMachine(30_000));

  afterEach(async () => {
    await endAll();
    await honestAnswers();
    canaries.check();
    await untilNoMoreThan(idle, onThisMachine(5_000));
  }, onThisMachine(30_000));

  afterAll(async () => {
    const host = sessions.pid;
    try {
      await canaries.checkThatTheyListen();
    } finally {
      canaries.removeAll();
      await sessions.close();
    }
    expect(cgroupsOf(host)).toEqual([]);
  }, onThisMachine(30_000));

  it('of two tenants reach nothing of each other, before, during and after a freeze', async () => {
    const [victim, attacker] = await Promise.all([start(), start()]);
    const [victimInJavaScript, other] = await Promise.all([start('javascript'), start('javascript')]);
    expect(await run(victim, TREASURE)).toMatchObject({ status: 'succeeded' });
    expect(await run(victimInJavaScript, TREASURE_IN_JAVASCRIPT)).toMatchObject({ status: 'succeeded' });
    const plunder = async (): Promise<void> => {
      expect((await run(attacker, PLUNDER)).stdout).toBe('refused\n');
      expect((await run(other, PLUNDER_IN_JAVASCRIPT)).stdout).toBe('refused\n');
    };
    await plunder();
    await Promise.all([victim.freeze(), victimInJavaScript.freeze()]);
    expect([await victim.isFrozen(), await victimInJavaScript.isFrozen()]).toEqual([true, true]);
    await plunder();
    expect((await run(victim, 'reached, signals, background.poll()')).results[0]?.data).toBe('([], [], None)');
    await attacker.freeze();
    await plunder();
    // All of it would have been found, because the victims find it. What they do not find, nobody can have.
    expect(foundIn(await run(victim, PLUNDER))).toEqual(foundByTheirOwner('python'));
    expect(foundIn(await run(victimInJavaScript, PLUNDER_IN_JAVASCRIPT))).toEqual(foundByTheirOwner('javascript'));
    expect((await run(victim, 'segment, semaphores, queue')).results[0]?.data).toBe('(-1, -1, -1)');
    expect(await victim.readFile('treasure')).toEqual(Buffer.from('TREASURE-of-the-victim'));
  });

  it(
    'withstand what executions withstand',
    async () => {
      const python = await start();
      const javascript = await start('javascript');
      const attacks = [...ESCAPE_ATTACKS, ...networkAttacks(canaries.listening)].filter(
        ({ name }) => !OF_EXECUTIONS_ONLY.has(name),
      );
      for (const { name, language, code } of attacks) {
        const outcome =
          language === 'python'
            ? await run(python, code)
            : await run(
                javascript,
                `await new Promise((done) => { const process = { exit: done };\nconst say = console.log;
console.log = (...all) => { say(...all); setTimeout(done, 50) };\n{\n${code}\n}\n});`,
              );
        expect({ name, language, stdout: outcome.stdout, error: outcome.error }).toEqual({
          name,
          language,
          stdout: 'refused\n',
          error: undefined,
        });
        canaries.check();
      }
    },
    onThisMachine(40_000),
  );

  it(
    'use no processor time while they are frozen, whatever they do',
    async () => {
      const tricks = [];
      for (const [name, code] of SLEEPLESS) {
        const before = new Set(descendantsOf(sessions.pid));
        const session = await start();
        expect(await run(session, code)).toMatchObject({ status: 'succeeded' });
        await session.freeze();
        // What cannot be stopped is said to be awake: its worker ends it when that does not change.
        if (await session.isFrozen())
          tricks.push({ name, session, pids: descendantsOf(sessions.pid).filter((pid) => !before.has(pid)) });
      }
      expect(tricks.length).toBeGreaterThanOrEqual(SLEEPLESS.length - 2);
      await sleep(STOPPING_MS);
      const from = tricks.map(({ pids }) => cpuMsOf(pids));
      await sleep(FROZEN_MS);
      for (const [index, { name, session, pids }] of tricks.entries()) {
        const used = cpuMsOf(pids) - from[index]!;
        // What continues by itself is ended.
        const ended = await Promise.race([session.ended(), sleep(50, 'alive' as const)]);
        expect({ name, ended, used, isIdle: ended === 'failed' || used <= FROZEN_MS / 20 }).toMatchObject({
          isIdle: true,
        });
      }
    },
    onThisMachine(40_000),
  );

  it(
    'keep no more memory in the kernel than they may use',
    async () => {
      const session = await start();
      const outcome = await run(session, SOCKET_BUFFERS_OF_A_SESSION);
      const [connections = 0, bytes = 0] = outcome.stdout.split(' ').map(Number);
      // The kernel may have ended it at the limit.
      expect(['succeeded', 'out_of_memory']).toContain(outcome.status);
      expect(bytes).toBeLessThanOrEqual(LIMITS.memoryBytes);
      if (mode.cgroups === 'off') expect(connections).toBe(0);
    },
    onThisMachine(20_000),
  );

  it.each(MUTINIES)(
    'end by themselves alone, with %s',
    async (_name, code) => {
      const session = await start();
      await run(session, code, 1_500);
      const left = await Promise.race([session.ended(), run(session, '6 * 7').catch(() => null)]);
      if (typeof left === 'object' && left !== null && left.status === 'succeeded')
        expect(left.results[0]?.data).toBe('42');
    },
    onThisMachine(30_000),
  );

  it(
    'take nothing from an honest one beside them',
    async () => {
      for (const [name, code] of BOMBS) {
        const session = await start();
        const bomb = run(session, code, BOMB_MS).catch(() => null);
        await sleep(BOMB_MS / 4);
        await honestAnswers();
        const outcome = await bomb;
        expect({ name, status: outcome?.status }).not.toEqual({ name, status: 'succeeded' });
        await session.end();
      }
      started.length = 0;
    },
    onThisMachine(60_000),
  );

  it('leave nothing, whatever they have left running, when they end frozen or with their process', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    for (const session of [one, other]) await run(session, MUTINIES.at(-1)![1]);
    await one.freeze();
    await Promise.all([one.end(), other.end()]);
    started.length = 0;
    await untilNoMoreThan(idle, onThisMachine(5_000));
  });
});

function foundIn({ stdout }: SessionOutcome): string[] {
  const found = JSON.parse(stdout) as [kind: string, what: string][];
  return [...new Set(found.map((each) => each.join(' ')))].sort();
}

function descendantsOf(ancestor: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const fields = statOf(Number(name));
    if (fields !== null) parents.set(Number(name), Number(fields[1]));
  }
  const below = (parent: number): number[] =>
    [...parents].filter(([, of]) => of === parent).flatMap(([pid]) => [pid, ...below(pid)]);
  return below(ancestor);
}

function cpuMsOf(pids: readonly number[]): number {
  const ticks = pids
    .map((pid) => statOf(pid))
    .reduce((sum, fields) => sum + Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0), 0);
  return ticks * 10;
}

function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
