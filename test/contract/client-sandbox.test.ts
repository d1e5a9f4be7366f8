import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Execution, ListedRun, ServiceOptions } from '@service/client';
import type { ExecutionEvent, LiveSandbox } from '@service/client/sandbox';
import { client, clientSandbox, signUpWithKey } from '../support/built-client.js';
import { onThisMachine } from '../support/patience.js';
import { useStreamRelay } from '../support/stream-relay.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

const { ConflictError, NotFoundError, RateLimitError, Service, ServiceError, ValidationError } = client;
const { StreamBrokenError } = clientSandbox;
const DIST = join(__dirname, '../../client/dist');

jest.setTimeout(onThisMachine(60_000));

/** Prints a line, and goes on when the test says so by a time. */
const STEPS = {
  language: 'python',
  code: 'import time\nfor n in range(8):\n    print(n, flush=True)\n    time.sleep(0.4)',
} as const;
const LINES = '0\n1\n2\n3\n4\n5\n6\n7\n';
const SLEEPS = { language: 'python', code: 'import time\nprint("began", flush=True)\ntime.sleep(25)' } as const;

type AnyEvent = ExecutionEvent | ExecutionEvent<Execution>;
const outputOf = (events: readonly AnyEvent[], of = 'stdout'): string =>
  events.map((event) => (event.type === of && 'text' in event ? event.text : '')).join('');

/** All events, and what the generator returned. */
async function all<E, R>(stream: AsyncGenerator<E, R>): Promise<{ events: E[]; returned: R }> {
  const events: E[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done === true) return { events, returned: next.value };
    events.push(next.value);
  }
}

const thrownBy = (call: PromiseLike<unknown>): Promise<any> =>
  Promise.resolve(call).then(
    () => {
      throw new Error('It succeeded.');
    },
    (error: unknown) => error,
  );

describe('@service/client/sandbox', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
  const relay = useStreamRelay(() => app.url);
  let apiKey: string;
  let service: InstanceType<typeof Service>;
  let sandbox: LiveSandbox;

  const sandboxOf = (options: ServiceOptions): LiveSandbox =>
    new clientSandbox.LiveSandbox(new Service({ baseUrl: relay.url, ...options }));
  const stateOf = async (id: string): Promise<string> => (await service.sandbox.get(id)).status;

  beforeAll(async () => {
    ({ apiKey } = await signUpWithKey(app.url));
    // What looks at the service goes past the relay.
    service = new Service({ apiKey, baseUrl: app.url });
    sandbox = sandboxOf({ apiKey });
  });

  describe('a stream of a run', () => {
    it('yields the run, its output while it is written, its result and the end, and returns the result', async () => {
      const code =
        'import sys, time\nprint("out")\nprint("err", file=sys.stderr, flush=True)\ntime.sleep(0.3)\nsys.exit(3)';
      const { events, returned } = await all(sandbox.stream({ language: 'python', code }));
      const types = events.map(({ type }) => type);
      expect([types[0], ...types.slice(1, -2).sort(), ...types.slice(-2)]).toEqual([
        'execution',
        'stderr',
        'stdout',
        'result',
        'end',
      ]);
      expect([outputOf(events), outputOf(events, 'stderr')]).toEqual(['out\n', 'err\n']);
      expect(returned).toMatchObject({ status: 'failed', exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
      expect(events.at(-2)).toEqual({ type: 'result', seq: expect.any(Number), result: returned });
      expect(events.at(-1)).toEqual({ type: 'end', seq: expect.any(Number), status: 'failed' });
      const numbers = events.map(({ seq }) => seq);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(returned).toEqual(await service.sandbox.get(returned.id));
    });

    it('resumes after its last event when connections break, and repeats and loses nothing', async () => {
      const stream = sandbox.stream(STEPS);
      const events: ExecutionEvent[] = [];
      let breaks = 0;
      for await (const event of stream) {
        events.push(event);
        if (event.type === 'stdout' && breaks < 2) {
          breaks++;
          relay.cut();
        }
      }
      expect(breaks).toBe(2);
      expect(outputOf(events)).toBe(LINES);
      expect(events.filter(({ type }) => type === 'result' || type === 'end')).toHaveLength(2);
      const asked = relay.seen.filter(({ method }) => method === 'GET');
      const resumed = asked.map(({ headers }) => headers['last-event-id']);
      expect(resumed[0]).toBeUndefined();
      expect(resumed.slice(1)).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
      // It was started once.
      expect(relay.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });

    it('resumes when an event was cut in two', async () => {
      relay.cutAfter(2_000);
      const { events } = await all(sandbox.stream({ language: 'python', code: 'print("x" * 5000)' }));
      expect(outputOf(events)).toBe(`${'x'.repeat(5_000)}\n`);
      expect(relay.seen.length).toBeGreaterThan(2);
    });

    it('throws when the connection breaks again and again, with what is needed to go on', async () => {
      const stream = sandbox.stream(STEPS, { maxRetries: 1 });
      const events: ExecutionEvent[] = [];
      const error = await thrownBy(
        (async () => {
          for await (const event of stream) {
            events.push(event);
            if (event.type === 'stdout') relay.cut({ forGood: true });
          }
        })(),
      );
      expect(error).toBeInstanceOf(StreamBrokenError);
      expect(error).not.toBeInstanceOf(ServiceError);
      const { executionId, seq } = error as InstanceType<typeof StreamBrokenError>;
      expect([error.name, seq]).toEqual(['StreamBrokenError', events.at(-1)!.seq]);
      expect(error.cause).toBeDefined();
      relay.reset();
      // The run was not cancelled, and a loop in another place goes on where this one ended.
      const rest = await all(sandbox.events(executionId!, { after: seq }));
      expect(outputOf([...events, ...rest.events])).toBe(LINES);
      expect(rest.returned.status).toBe('succeeded');
      // After the end there is nothing, but the result is known.
      const nothing = await all(sandbox.events(executionId!, { after: rest.events.at(-1)!.seq }));
      expect(nothing).toEqual({ events: [], returned: rest.returned });
    });

    it('cancels its run when its loop is left', async () => {
      let id = '';
      for await (const event of sandbox.stream(SLEEPS)) {
        if (event.type === 'execution') id = event.execution.id;
        if (event.type === 'stdout') break;
      }
      // The cancellation was answered before the loop ended.
      expect(relay.seen.at(-1)!.path).toMatch(/\/cancel$/);
      await eventually(async () => (await stateOf(id)) === 'cancelled', 'a cancelled run');
    });

    it('cancels its run and throws the reason when its signal aborts', async () => {
      const leaving = new AbortController();
      let id = '';
      const error = await thrownBy(
        (async () => {
          for await (const event of sandbox.stream(SLEEPS, { signal: leaving.signal })) {
            if (event.type === 'execution') id = event.execution.id;
            if (event.type === 'stdout') setTimeout(leaving.abort.bind(leaving, 'left'), 50);
          }
        })(),
      );
      expect(error).toBe('left');
      await eventually(async () => (await stateOf(id)) === 'cancelled', 'a cancelled run');
    });

    it('cancels its run when its signal aborts before the start is answered', async () => {
      const answer = relay.holdBack();
      const leaving = new AbortController();
      const aborted = thrownBy(sandbox.stream(SLEEPS, { signal: leaving.signal }).next());
      const newest = async (): Promise<ListedRun | undefined> => (await service.sandbox.list({ limit: 1 })).data[0];
      await eventually(async () => (await newest())?.status === 'running', 'a run that nobody knows');
      leaving.abort('left');
      answer();
      expect(await aborted).toBe('left');
      const { id } = (await newest())!;
      await eventually(async () => (await stateOf(id)) === 'cancelled', 'a cancelled run');
    });

    it('waits for the answer to its start for a few seconds only, once its signal has aborted', async () => {
      const answer = relay.holdBack();
      const signal = AbortSignal.timeout(200);
      expect(await thrownBy(sandbox.stream(STEPS, { signal }).next())).toBe(signal.reason);
      answer();
    });

    it('cancels its run when an error is thrown into its loop', async () => {
      const stream = sandbox.stream(SLEEPS);
      const first = await stream.next();
      const mine = new TypeError('mine');
      expect(await thrownBy(stream.throw(mine))).toBe(mine);
      const { id } = (first.value as { readonly execution: { readonly id: string } }).execution;
      expect(relay.seen.filter(({ path }) => path.endsWith('/events'))).toHaveLength(1);
      await eventually(async () => (await stateOf(id)) === 'cancelled', 'a cancelled run');
    });

    it('does not begin with a signal that has aborted', async () => {
      const signal = AbortSignal.abort('left before');
      expect(await thrownBy(sandbox.stream(SLEEPS, { signal }).next())).toBe('left before');
      expect(await thrownBy(sandbox.events('exe_none', { signal }).next())).toBe('left before');
      expect(relay.seen).toHaveLength(0);
    });

    it('leaves a run alone that it only follows', async () => {
      const { id } = await service.sandbox.start(STEPS);
      for await (const event of sandbox.events(id)) if (event.type === 'stdout') break;
      const { events, returned } = await all(sandbox.events(id));
      expect([outputOf(events), returned.status]).toEqual([LINES, 'succeeded']);
      expect(relay.seen.some(({ path }) => path.endsWith('/cancel'))).toBe(false);
    });

    it('throws the errors of the main entry', async () => {
      const invalid = await thrownBy(sandbox.stream({ language: 'python', code: '' }).next());
      expect(invalid).toBeInstanceOf(ValidationError);
      expect(invalid.details[0].path).toBe('code');
      const missing = await thrownBy(sandbox.events('exe_none').next());
      expect(missing).toBeInstanceOf(NotFoundError);
      expect(missing.code).toBe('execution_not_found');
    });
  });

  describe('a stream of an anonymous run', () => {
    const anonymous = (): LiveSandbox => sandboxOf({ anonymous: true });

    it('yields its output, and ends with the runs that are left', async () => {
      const { events, returned } = await all(anonymous().tryStream({ language: 'python', code: 'print(1 + 2)' }));
      expect(events.map(({ type }) => type)).toEqual(['stdout', 'result', 'end']);
      expect(outputOf(events)).toBe('3\n');
      expect(events.at(-1)).toMatchObject({ status: 'succeeded', remaining_executions: expect.any(Number) });
      expect(returned).toMatchObject({ status: 'succeeded', stdout: '3\n' });
    });

    it('says that it cannot be resumed when the connection breaks', async () => {
      const stream = anonymous().tryStream(SLEEPS);
      await stream.next();
      relay.cut();
      const error = await thrownBy(stream.next());
      expect(error).toBeInstanceOf(StreamBrokenError);
      expect([error.executionId, error.message]).toEqual([
        undefined,
        expect.stringContaining('Anonymous runs cannot be resumed'),
      ]);
      expect(relay.seen).toHaveLength(1);
    });
  });

  describe('a session', () => {
    it('keeps variables and files, runs code and commands, and ends with its block', async () => {
      let id = '';
      {
        await using session = await sandbox.sessions.create({ language: 'python', name: 'mine' });
        ({ id } = session);
        expect(session.info).toMatchObject({ id, language: 'python', name: 'mine' });
        await session.run('x = 41');
        expect(await session.run({ code: 'print(x + 1, input())', stdin: 'you\n' })).toMatchObject({
          status: 'succeeded',
          session_id: id,
          stdout: '42 you\n',
        });
        expect(await session.shell('echo $0; exit 4')).toMatchObject({ status: 'failed', exit_code: 4 });

        const streamed = await all(session.stream('for n in range(3):\n    print(n)\nx'));
        expect(outputOf(streamed.events)).toBe('0\n1\n2\n');
        expect(streamed.returned.results).toEqual([expect.objectContaining({ data: '41' })]);
        const shell = await all(session.streamShell({ command: 'cat >&2', stdin: 'text' }));
        expect([outputOf(shell.events, 'stderr'), shell.returned.exit_code]).toEqual(['text', 0]);
        expect((await session.freeze()).status).toBe('frozen');
        expect(session.info!.status).toBe('frozen');
      }
      const ended = await sandbox.sessions.get(id);
      expect(ended.info).toMatchObject({ status: 'ended', end_reason: 'requested' });
      const error = await thrownBy(ended.run('x'));
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.code).toBe('sandbox_session_over');
    });

    it('reads, writes, lists and deletes files, byte for byte', async () => {
      await using session = await sandbox.sessions.create({ language: 'python' });
      const bytes = new Uint8Array([0, 255, 10, 128]);
      await session.files.write('deep/in.bin', bytes);
      await session.files.write('text.txt', 'é');
      await session.files.write('blob.txt', new Blob(['b']));
      expect(await session.files.read('deep/in.bin')).toEqual(bytes);
      expect((await session.run('print(open("text.txt").read(), open("blob.txt").read())')).stdout).toBe('é b\n');
      const paths = (await session.files.list()).map(({ path, type }) => `${type} ${path}`);
      expect(paths).toEqual(expect.arrayContaining(['directory deep', 'file text.txt', 'file blob.txt']));
      expect(await session.files.list('deep')).toEqual([
        expect.objectContaining({ path: 'deep/in.bin', size_bytes: 4 }),
      ]);
      await session.files.delete('deep');
      const missing = await thrownBy(session.files.read('deep/in.bin'));
      expect(missing).toBeInstanceOf(NotFoundError);
      expect(missing.code).toBe('session_file_not_found');
      expect(await thrownBy(session.files.write('../out', ''))).toBeInstanceOf(ValidationError);
    });

    it('is listed, page by page, and used by its ID', async () => {
      const { id } = await sandbox.sessions.create({ language: 'javascript' });
      const session = sandbox.sessions.withId(id);
      expect(session.info).toBeUndefined();
      expect((await session.run('console.log(typeof x)')).stdout).toBe('undefined\n');
      const page = await sandbox.sessions.list({ limit: 1 });
      expect(page.data).toEqual([expect.objectContaining({ id })]);
      const listed: string[] = [];
      for await (const each of sandbox.sessions.list({ limit: 1, status: 'ended' })) listed.push(each.status);
      expect(new Set(listed)).toEqual(new Set(['ended']));
      expect(listed.length).toBeGreaterThan(1);
      expect((await session.end()).status).toBe('ended');
      expect((await session.end()).status).toBe('ended');
      expect(await thrownBy(sandbox.sessions.get('sbx_none'))).toBeInstanceOf(NotFoundError);
    });

    it('goes on when a loop over its events is left or aborted, which ends the run', async () => {
      await using session = await sandbox.sessions.create({ language: 'python' });
      await session.run('x = 1');
      let id = '';
      for await (const event of session.stream(SLEEPS.code)) {
        if (event.type === 'execution') id = event.execution.id;
        if (event.type === 'stdout') break;
      }
      await eventually(async () => (await stateOf(id)) === 'cancelled', 'a cancelled run');
      const leaving = new AbortController();
      const aborted = session.stream(SLEEPS.code, { signal: leaving.signal });
      await aborted.next();
      leaving.abort('left');
      expect(await thrownBy(aborted.next())).toBe('left');
      expect((await session.run('print("here")')).stdout).toBe('here\n');
    });

    it('starts a run and a command that go on by themselves, and follows them after a break', async () => {
      await using session = await sandbox.sessions.create({ language: 'python' });
      const started = await session.start(
        'import time\nfor n in range(4):\n    print(n, flush=True)\n    time.sleep(0.5)',
      );
      expect(started).toMatchObject({ session_id: session.id, status: 'queued' });
      const command = await session.startShell({ command: 'echo done; exit 4', queue_timeout_ms: 60_000 });
      const following = sandbox.events(started.id);
      const seen: ExecutionEvent[] = [];
      for await (const event of following) {
        seen.push(event);
        if (event.type === 'stdout' && seen.filter(({ type }) => type === 'stdout').length === 1) relay.cut();
      }
      expect(outputOf(seen)).toBe('0\n1\n2\n3\n');
      const { events, returned } = await all(sandbox.events(command.id));
      expect([outputOf(events), returned.exit_code]).toEqual(['done\n', 4]);
    });

    it('says that the connection broke, and with which run', async () => {
      await using session = await sandbox.sessions.create({ language: 'python' });
      const stream = session.stream(SLEEPS.code);
      const first = await stream.next();
      relay.cut();
      const error = await thrownBy(all(stream));
      expect(error).toBeInstanceOf(StreamBrokenError);
      expect(error.message).toContain('ends a run in a session');
      expect(first.value).toMatchObject({
        type: 'execution',
        execution: { id: error.executionId, session_id: session.id },
      });
      await eventually(async () => (await stateOf(error.executionId as string)) === 'cancelled', 'a cancelled run');
    });
  });
});

/** What the service cannot be made to send here. */
describe('an answer', () => {
  const sse = (...events: readonly [string, object][]): Response =>
    new Response(
      events.map(([type, data], id) => `id: ${id}\r\nevent: ${type}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`).join(''),
      {
        headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' },
      },
    );
  const ENDED = (): Response => sse(['result', { id: 'exe_1' }], ['end', { status: 'succeeded' }]);
  const RESTARTED = (): Response => new Response('', { status: 503 });
  const sandboxThat = (answer: (signal: AbortSignal) => Response): LiveSandbox =>
    new clientSandbox.LiveSandbox(
      new Service({
        apiKey: 'svc_pat_canary',
        baseUrl: 'http://api.test',
        maxRetries: 0,
        fetch: (_url, init) => Promise.resolve(answer(init!.signal!)),
      }),
    );
  /** Its body stops, until the signal aborts. */
  const stalled = (signal: AbortSignal): Response => {
    const start = (controller: ReadableStreamDefaultController): void => {
      controller.enqueue(new TextEncoder().encode('{"data'));
      signal.addEventListener('abort', () => {
        controller.error(signal.reason);
      });
    };
    return new Response(new ReadableStream({ start }));
  };

  it('with an error in its stream is thrown as the class of its status', async () => {
    const error = {
      type: 'rate_limit_error',
      code: 'some_code',
      status: 429,
      message: 'No.',
      retry_after: 3,
      hint: 'Wait.',
    };
    const stream = sandboxThat(() => sse(['stdout', { text: 'a' }], ['error', { error }])).events('exe_1');
    expect(await stream.next()).toMatchObject({ value: { type: 'stdout', text: 'a' } });
    const thrown = await thrownBy(stream.next());
    expect(thrown).toBeInstanceOf(RateLimitError);
    expect(thrown).toMatchObject({ code: 'some_code', retryAfter: 3, hint: 'Wait.', requestId: 'req_1' });
    const lost = { ...error, type: 'api_error', code: 'sandbox_unavailable', status: 503 };
    const other = await thrownBy(
      sandboxThat(() => sse(['error', { error: lost }]))
        .events('exe_1')
        .next(),
    );
    expect([other.constructor, other.code]).toEqual([ServiceError, 'sandbox_unavailable']);
  });

  it('with events of a later version is read without them', async () => {
    const events = sse(
      ['stdout', { text: 'a' }],
      ['figure', {}],
      ['result', { id: 'exe_1' }],
      ['end', { status: 'succeeded' }],
    );
    const read = await all(sandboxThat(() => events).events('exe_1'));
    expect(read.events.map(({ type, seq }) => [type, seq])).toEqual([
      ['stdout', 0],
      ['result', 2],
      ['end', 3],
    ]);
    expect(read.returned).toEqual({ id: 'exe_1' });
  });

  it('in which nothing comes for a minute is taken for broken, and resumed', async () => {
    jest.useFakeTimers();
    try {
      let calls = 0;
      const sandbox = sandboxThat((signal) => (++calls > 1 ? ENDED() : stalled(signal)));
      const read = all(sandbox.events('exe_1'));
      await jest.advanceTimersByTimeAsync(59_000);
      expect(calls).toBe(1);
      await jest.advanceTimersByTimeAsync(3_000);
      expect([calls, (await read).returned]).toEqual([2, { id: 'exe_1' }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('of a service that is restarted is taken for a break of a stream that can be resumed', async () => {
    const answers = [() => sse(['stdout', { text: 'a' }]), RESTARTED, RESTARTED, ENDED];
    const { events, returned } = await all(sandboxThat(() => answers.shift()!()).events('exe_1'));
    expect([answers, outputOf(events), returned]).toEqual([[], 'a', { id: 'exe_1' }]);
    const broken = await thrownBy(sandboxThat(RESTARTED).events('exe_1', { maxRetries: 0 }).next());
    expect([broken.name, broken.executionId, broken.cause.status]).toEqual(['StreamBrokenError', 'exe_1', 503]);
    const final = await thrownBy(sandboxThat(RESTARTED).tryStream({ language: 'python', code: '1' }).next());
    expect([final.constructor, final.status]).toEqual([ServiceError, 503]);
  });

  it('is not asked for again when an error is thrown into the loop over it', async () => {
    let calls = 0;
    const stream = sandboxThat(() => {
      calls++;
      return sse(['stdout', { text: 'a' }]);
    }).events('exe_1');
    await stream.next();
    const mine = new TypeError('mine');
    expect([await thrownBy(stream.throw(mine)), calls]).toEqual([mine, 1]);
  });

  it('whose body stops has a time limit, and what ends it is thrown as it is', async () => {
    const { sessions } = sandboxThat(stalled);
    const late = await thrownBy(sessions.get('sbx_1', { timeoutMs: 50 }));
    expect([late.name, late.message]).toEqual(['TimeoutError', expect.stringContaining('within 50 ms')]);
    const file = await thrownBy(sessions.withId('sbx_1').files.read('a', { timeoutMs: 50 }));
    expect(file.name).toBe('TimeoutError');
    const leaving = new AbortController();
    setTimeout(leaving.abort.bind(leaving, 'left'), 50);
    expect(await thrownBy(sessions.get('sbx_1', { signal: leaving.signal }))).toBe('left');
    const terminated = new TypeError('terminated');
    const start = (controller: ReadableStreamDefaultController): void => {
      controller.error(terminated);
    };
    const broken = sandboxThat(() => new Response(new ReadableStream({ start })));
    expect(await thrownBy(broken.sessions.get('sbx_1'))).toBe(terminated);
  });

  it.each(['<html>', 'null', '{}'])('that is not from the API is an error that says so: %s', async (body) => {
    const page = sandboxThat(() => new Response(body, { headers: { 'content-type': 'text/html' } }));
    const error = await thrownBy(page.sessions.create({ language: 'python' }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.code).toBe('unreadable_answer');
  });

  it('is read without the key in what is printed', () => {
    const sandbox = sandboxThat(() => sse());
    const shown = inspect([sandbox, sandbox.sessions.withId('sbx_1')], { depth: null, showHidden: true });
    expect(shown + JSON.stringify(sandbox)).not.toContain('canary');
  });
});

describe('its module', () => {
  const code = readFileSync(join(DIST, 'live-sandbox.js'));

  it('has at most 3 kB, compressed, and imports the main entry only', () => {
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(3_000);
    const imports = [...code.toString().matchAll(/(?<!['"])\b(?:from|import)\s*\(?\s*['"]([^'"]+)/g)].map(
      ([, from]) => from,
    );
    expect([...new Set(imports)]).toEqual(['./index.js']);
  });

  it('ships its docs for editors', () => {
    expect(readFileSync(join(DIST, 'live-sandbox.d.ts'), 'utf8')).toContain('@throws {StreamBrokenError}');
  });
});
