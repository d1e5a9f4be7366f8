import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import * as fc from 'fast-check';

import { type IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { type LaunchEnd } from '../../../../platform/isolation/launch-spec.js';
import { type Frame, frameOf, FrameReader } from './frames.js';
import { LiveSession } from './live-session.js';
import { SessionEnded, SessionFileNotFound } from './session-process.js';

const END: LaunchEnd = { cause: 'destroyed', exitStatus: null, cpuMs: 7, memoryPeakBytes: 8, said: '' };
const WORK = { code: '1', timeoutMs: 10_000, outputBytes: 10 };

/** A program whose agent says what a test wants. */
class Puppet {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly exited: Promise<LaunchEnd>;
  readonly cpuMs = 5;
  readonly memoryPeakBytes = 6;
  readonly ranOutOfMemory = false;
  isDestroyed = false;
  private exit!: (end: LaunchEnd) => void;
  private readonly heard = new FrameReader();
  private readonly requests: Frame[] = [];

  constructor() {
    this.exited = new Promise((resolve) => {
      this.exit = resolve;
    });
    this.stdin.on('data', (piece: Buffer) => this.requests.push(...this.heard.push(piece)));
  }

  destroy(): Promise<void> {
    this.isDestroyed = true;
    this.exit(END);
    return Promise.resolve();
  }

  say(header: Frame['header'], body?: Buffer): void {
    this.stdout.write(frameOf(header, body));
  }

  async asked(): Promise<Frame> {
    for (;;) {
      const request = this.requests.shift();
      if (request !== undefined) return request;
      await turn();
    }
  }
}

function startPuppet(): { puppet: Puppet; session: LiveSession } {
  const puppet = new Puppet();
  return { puppet, session: new LiveSession(puppet as unknown as IsolatedProgram, { interpreter: 'python' }) };
}

describe('a session with an agent that is not ours', () => {
  it('keeps to what a good agent says', async () => {
    const { puppet, session } = startPuppet();
    puppet.say({ op: 'ready', version: '3.1' });
    await session.ready;
    const pieces: string[] = [];
    const running = session.run({ ...WORK, stdin: 'in' }, undefined, (more) => {
      pieces.push(...more.map(({ text }) => text));
    });
    const { header, body } = await puppet.asked();
    expect(header).toEqual({ op: 'run', id: 1, stdin: 2, output_bytes: 10 });
    expect(body.toString()).toBe('1in');
    puppet.say({ op: 'begun', id: 1 });
    puppet.say({ op: 'output', id: 1, stream: 'stdout' }, Buffer.from('0123456789'));
    puppet.say({ op: 'over', id: 1, stream: 'stdout' });
    expect((await puppet.asked()).header).toEqual({ op: 'interrupt', id: 1 });
    puppet.say({ op: 'ended', id: 1, lost: true, exit: 0, signal: null, ms: 1e12 });
    const outcome = await running;
    expect(outcome).toMatchObject({ status: 'output_limit', stdout: '0123456789', exitCode: 0, stateLost: true });
    expect(outcome.durationMs).toBeLessThan(10_000);
    expect(pieces.join('')).toBe('0123456789');
    await session.end();
  });

  it.each([
    ['output before the beginning', [{ op: 'output', id: 1, stream: 'stdout' }]],
    [
      'two beginnings',
      [
        { op: 'begun', id: 1 },
        { op: 'begun', id: 1 },
      ],
    ],
    [
      'output of another run',
      [
        { op: 'begun', id: 1 },
        { op: 'output', id: 2, stream: 'stdout' },
      ],
    ],
    [
      'more output than the limit',
      [
        { op: 'begun', id: 1 },
        { op: 'output', id: 1, stream: 'stderr' },
      ],
    ],
    [
      'a result of an unknown type',
      [
        { op: 'begun', id: 1 },
        { op: 'result', id: 1, type: 'text/evil' },
      ],
    ],
    ['an answer that nobody asked for', [{ op: 'answer', id: 1 }]],
    ['what is no message', [{ op: 'rm' }]],
    ['a version that is none', [{ op: 'ready', version: '<script>' }]],
  ])('ends at %s', async (_name, said) => {
    const { puppet, session } = startPuppet();
    const running = session.run(WORK);
    await puppet.asked();
    for (const header of said) puppet.say(header, Buffer.alloc(11, 'x'));
    expect(await running).toMatchObject({ status: 'failed', stateLost: true, stdout: '', stderr: '' });
    expect(await session.ended).toBe('failed');
    expect(puppet.isDestroyed).toBe(true);
    await expect(session.run(WORK)).rejects.toThrow(SessionEnded);
  });

  it('ends when files are answered with something else', async () => {
    const { puppet, session } = startPuppet();
    const reading = session.readFile('a');
    await puppet.asked();
    puppet.say({ op: 'answer', id: 1, fault: 'not_found' });
    await expect(reading).rejects.toThrow(SessionFileNotFound);
    const listing = session.listFiles('');
    await puppet.asked();
    puppet.say({ op: 'answer', id: 2 }, Buffer.from('{"no":"list"}'));
    await expect(listing).rejects.toThrow(SessionEnded);
    expect(await session.ended).toBe('failed');
  });

  it('has kept artifacts removed before anything else is done, and does not wait for it', async () => {
    const { puppet, session } = startPuppet();
    await session.removeCollected(['a/b', 'ä']);
    const running = session.run(WORK);
    const { header, body } = await puppet.asked();
    expect([header, body.toString()]).toEqual([{ op: 'collected', id: 1 }, '["a/b","ä"]']);
    expect((await puppet.asked()).header).toMatchObject({ op: 'run' });
    puppet.say({ op: 'answer', id: 1, fault: 'failed' });
    await session.end();
    expect((await running).status).toBe('failed');
    await expect(session.removeCollected(['a'])).rejects.toThrow(SessionEnded);
  });

  it('settles every call, whatever it says and however it ends', async () => {
    const header = fc.record({
      op: fc.constantFrom('ready', 'begun', 'output', 'over', 'result', 'ended', 'answer', 'x'),
      id: fc.constantFrom(0, 1, 2),
      stream: fc.constantFrom('stdout', 'stderr'),
      type: fc.constantFrom('text/plain', 'image/png', 'x'),
      version: fc.constant('1'),
      exit: fc.constantFrom(0, 1, null, -1, 'x'),
      error: fc.option(fc.record({ name: fc.string(), message: fc.string() }), { nil: undefined }),
    });
    const frame = fc
      .tuple(header, fc.uint8Array({ maxLength: 6 }))
      .map(([head, body]) => frameOf(head, Buffer.from(body)));
    const garbage = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const said = fc.array(fc.oneof({ weight: 6, arbitrary: frame }, garbage), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(said, async (pieces) => {
        const { puppet, session } = startPuppet();
        const settled = Promise.allSettled([session.run(WORK), session.listFiles(''), session.readFile('a')]);
        for (let asked = 0; asked < 3; asked++) await puppet.asked();
        for (const piece of pieces) puppet.stdout.write(piece);
        await turn();
        await session.end();
        const [run] = await settled;
        expect(run.status).toBe('fulfilled');
        expect(['ended', 'failed']).toContain(await session.ended);
      }),
    );
  });
});
