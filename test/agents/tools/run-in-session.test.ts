import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InsufficientScopes } from '../../../src/modules/auth/access.errors.js';
import { WorkBudgetsService } from '../../../src/modules/credits/work-budgets.service.js';
import { RunObservers } from '../../../src/modules/runs/run-observers.js';
import type { EndedRun } from '../../../src/modules/runs/new-run.js';
import { SandboxSessionsStore } from '../../../src/modules/sandbox/persistence/sandbox-sessions.store.js';
import { SessionProcesses } from '../../../src/modules/sandbox/sessions/host/session-processes.js';
import { SessionSignals } from '../../../src/modules/sandbox/sessions/session-signals.js';
import { Database } from '../../../src/platform/database/database.js';
import { parseUsd } from '../../../src/platform/money/nano-dollars.js';
import { Make, type Org, type Person, uniqueName } from '../../support/make.js';
import { onThisMachine } from '../../support/patience.js';
import { eventually, useApp, WITH_SANDBOX } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';

jest.setTimeout(onThisMachine(60_000));

const hashOf = (effect: string): string => createHash('sha256').update(effect).digest('hex');

describe('run_in_session', () => {
  const app = useApp({
    ...WITH_SANDBOX,
    SANDBOX_CONCURRENCY: '2',
    SANDBOX_SESSIONS: '4',
    SANDBOX_SESSIONS_SHARE_PERCENT: '100',
  });
  const make = new Make(app);
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  let run: string;
  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { plan: 'pro' });
    caller = new ToolCaller(app, org, person);
  });
  beforeEach(() => {
    run = `run_${uniqueName('x')}`;
  });
  afterEach(() => ended());

  const options = (more: ToolCallOptions = {}): ToolCallOptions => ({ ...more, run: { id: run } });
  const python = (code: string, more?: ToolCallOptions): Promise<any> =>
    caller.output('run_in_session', { language: 'python', code }, options(more));
  const sessions = (): Promise<Record<string, any>[]> =>
    make.sql('SELECT * FROM sandbox_sessions WHERE run_id = $1 ORDER BY id', [run]);
  const executions = (effect: string): Promise<Record<string, any>[]> =>
    make.sql('SELECT * FROM sandbox_executions WHERE org_id = $1 AND effect_key = $2', [org.id, hashOf(effect)]);
  const ended = (commits = true): Promise<void> =>
    app.get(Database).transaction(async () => {
      await app.get(RunObservers).ended({ id: run, orgId: org.id, state: 'succeeded' } as EndedRun);
      if (!commits) throw new Error('The end is rolled back.');
    });

  it('keeps variables and files from step to step, in one session', async () => {
    const first = await python('x = 40\nwritten = open("note", "w").write("kept")\nprint("begun")');
    expect(first).toMatchObject({ status: 'succeeded', exit_code: 0, stdout: 'begun\n', results: [] });
    expect(parseUsd(first.cost as string)).toBeGreaterThan(0n);
    const second = await python('x + 2');
    expect(second.results).toEqual([{ type: 'text/plain', data: '42' }]);
    expect(second.session_id).toBe(first.session_id);
    const command = { language: 'python', command: 'cat note; exit 3' };
    expect(await caller.output('run_in_session', command, options())).toMatchObject({
      status: 'failed',
      exit_code: 3,
      stdout: 'kept',
      session_id: first.session_id,
    });
    expect(await sessions()).toEqual([
      expect.objectContaining({ id: first.session_id, language: 'python', name: run }),
    ]);
    const [tool] = await caller.tools('run_in_session');
    expect(tool).toMatchObject({ effect: 'keyed', taints: false, scopes: ['sandbox:execute'] });
  });

  it('names the files that it keeps, once', async () => {
    const code = 'import os\nn = open("/artifacts/sum.txt", "w").write("3")\nos.mkfifo("/artifacts/pipe")';
    const asked = { language: 'python', code, artifacts: true };
    expect(await caller.output('run_in_session', asked, options())).toMatchObject({
      status: 'succeeded',
      artifacts: [{ id: expect.stringMatching(/^art_/), path: 'sum.txt', size_bytes: 1, type: 'text/plain' }],
      artifact_errors: [{ path: 'pipe', code: 'not_a_file' }],
    });
    const again = { language: 'python', command: 'rm /artifacts/pipe', artifacts: true };
    const output = await caller.output('run_in_session', again, options());
    expect(output).toMatchObject({ status: 'succeeded', artifacts: [] });
    expect(output).not.toHaveProperty('artifact_errors');
    expect(await python('1')).not.toHaveProperty('artifacts');
  });

  it('has a session for each language, and none of another run', async () => {
    const { session_id: id } = await python('x = 1');
    const node = await caller.output('run_in_session', { language: 'javascript', code: 'typeof x' }, options());
    expect(node.session_id).not.toBe(id);
    const other = { run: { id: `run_${uniqueName('other')}` } };
    const theirs = await caller.output('run_in_session', { language: 'python', code: 'print(x)' }, other);
    expect(theirs).toMatchObject({ status: 'failed', error: { name: 'NameError' } });
    run = other.run.id;
  });

  it('runs and costs once for a key, however often it is called', async () => {
    await python('n = 0');
    const effect = uniqueName('effect');
    const code = 'n += 1\nprint(n)';
    const outputs = await Promise.all(Array.from({ length: 4 }, () => python(code, { effect })));
    outputs.push(await python(code, { effect }));
    expect(new Set(outputs.map((output) => JSON.stringify(output))).size).toBe(1);
    expect(outputs[0].stdout).toBe('1\n');
    const rows = await executions(effect);
    expect(rows).toHaveLength(1);
    expect(await make.sql('SELECT 1 FROM usage_events WHERE source_id = $1', [rows[0]!['id']])).toHaveLength(1);
    expect((await python('print(n)')).stdout).toBe('1\n');
  });

  it('begins one session when its first step is called twice at once', async () => {
    const [first, second] = await Promise.all([python('1', { effect: uniqueName('a') }), python('2')]);
    expect(first.session_id).toBe(second.session_id);
    expect(await sessions()).toHaveLength(1);
  });

  it('is woken when the session that another call starts has started', async () => {
    const processes = app.get(SessionProcesses);
    const start = processes.start.bind(processes);
    const slow = jest.spyOn(processes, 'start').mockImplementation(async (asked) => {
      await sleep(2_000);
      return start(asked);
    });
    const signals = app.get(SessionSignals);
    const next = signals.next.bind(signals);
    // It would not look by itself before the test is over.
    const waits = jest
      .spyOn(signals, 'next')
      .mockImplementation((id, _, signal) => next(id, onThisMachine(600_000), signal));
    const looks = jest.spyOn(app.get(SandboxSessionsStore), 'liveOfRun');
    const [first, second] = await Promise.all([python('1'), python('2')]);
    expect(second.session_id).toBe(first.session_id);
    expect(waits).toHaveBeenCalled();
    expect(looks.mock.calls.length).toBeLessThan(7);
    for (const spy of [slow, waits, looks]) spy.mockRestore();
  });

  it('reads its session no more often than its work does', async () => {
    await python('1');
    const finds = jest.spyOn(app.get(SandboxSessionsStore), 'find');
    await python('2');
    // The work looks whether it is the caller's.
    expect(finds).toHaveBeenCalledTimes(1);
    finds.mockRestore();
  });

  it('runs to its end when the wait is aborted, and returns the result to the next call', async () => {
    await python('import time');
    const effect = uniqueName('effect');
    const leaving = new AbortController();
    const code = 'time.sleep(1)\nprint("done")';
    const first = caller.call(
      'run_in_session',
      { language: 'python', code },
      options({ effect, signal: leaving.signal }),
    );
    await eventually(async () => (await executions(effect))[0]?.['status'] === 'running', 'the code runs');
    leaving.abort(new Error('The worker stops.'));
    await expect(first).rejects.toThrow('The worker stops.');
    expect(await python(code, { effect })).toMatchObject({ status: 'succeeded', stdout: 'done\n' });
    expect(await executions(effect)).toHaveLength(1);
  });

  it('goes on in another session when the one before has ended', async () => {
    const { session_id: id } = await python('x = 1');
    await make.sql(
      "UPDATE sandbox_sessions SET status = 'ended', end_reason = 'idle', ended_at = now() WHERE id = $1",
      [id],
    );
    const next = await python('print("x" in globals())');
    expect(next).toMatchObject({ status: 'succeeded', stdout: 'False\n' });
    expect(next.session_id).not.toBe(id);
  });

  it('ends with the run, and not before the end of the run is committed', async () => {
    await python('x = 1');
    await expect(ended(false)).rejects.toThrow('rolled back');
    expect((await sessions())[0]!['ended_at']).toBeNull();
    await ended();
    expect((await sessions())[0]).toMatchObject({ status: 'ended', end_reason: 'requested' });
  });

  it('draws from the budgets of its run, and does not begin beyond one', async () => {
    await python('n = 0');
    const effect = uniqueName('effect');
    const subject = `run:${uniqueName('small')}`;
    await app.get(WorkBudgetsService).addAll([{ orgId: org.id, subject, window: 'total', limitNano: 1n }]);
    await expect(python('n = 1', { effect, budgetSubjects: [subject] })).rejects.toMatchObject({
      code: 'budget_exceeded',
    });
    expect(await executions(effect)).toEqual([]);
    expect((await python('print(n)', { effect })).stdout).toBe('0\n');
  });

  it('says when variables are lost, and cuts long output and results', async () => {
    expect(await python('import os; os._exit(5)')).toMatchObject({ state_lost: true });
    const long = await python('print("a" * 100_000)\n"b" * 100_000');
    expect(long.stdout.length).toBeGreaterThan(35_000);
    expect(long.truncated).toEqual({ stdout: true, stderr: false });
    expect(long.results[0]).toMatchObject({ type: 'text/plain', truncated: true });
    expect(long.results[0].data).toHaveLength(24_576);
    expect(JSON.stringify(long).length).toBeLessThan(65_536);
  });

  it('refuses what it cannot run, without a session', async () => {
    const call = (input: object, more?: ToolCallOptions): Promise<unknown> =>
      caller.call('run_in_session', { language: 'python', ...input }, options(more)).catch((error: unknown) => error);
    for (const input of [{}, { code: '1', command: 'ls' }, { command: 'a\0b' }, { code: 'ä'.repeat(70_000) }])
      expect(await call(input)).toMatchObject({ kind: 'failed', code: 'invalid_request' });
    expect(await call({ code: '1' }, { scopes: ['ai:invoke'] })).toBeInstanceOf(InsufficientScopes);
    expect(await sessions()).toEqual([]);
    expect(await call({ code: '1', timeout_ms: 3_600_000 })).toMatchObject({ code: 'invalid_request' });
  });
});
