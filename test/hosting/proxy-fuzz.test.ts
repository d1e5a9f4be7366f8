import { deployBehind, FakeAppServer, type PlayedAnswer } from '../support/fake-app-server.js';
import type { Deployed } from '../support/hosting.js';
import { craftedAnswer, Dice, frames, mutated, soundAnswer } from '../support/hostile-bytes.js';
import { RawConnection } from '../support/raw-connection.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(300_000);

/** Another one finds other answers: `FUZZ_SEED=7 npx jest --selectProjects service --testPathPatterns proxy-fuzz`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_251_122);
const HOSTILE_ANSWERS = 10_000;
const VISITORS = 12;
const UPGRADES = 0.12;

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** Each answer says for which request it was made. A mark that was mutated into another one has the wrong check. */
const markOf = (kind: 'honest' | 'hostile', index: number): string =>
  `${kind}-${index}-${(Math.imul(index + 1, 2_654_435_761) >>> 0).toString(16)}.`;
const MARK = /(honest|hostile)-(\d+)-([0-9a-f]{1,8})\./g;

/**
 * Visitors ask the app in turn for answers that are honest and answers that are not, over connections that are kept:
 * from the visitor to the proxy, and from the proxy to the app. What is random comes from the seed; in which order
 * visitors are served does not.
 */
describe(`10,000 hostile answers and frames, by the seed ${SEED}`, () => {
  const app = useApp();
  const server = new FakeAppServer();
  let deployed: Deployed;
  const tally = { honest: 0, whole: 0, refused: 0, brokenOff: 0, upgraded: 0, notUpgraded: 0 };

  beforeAll(async () => {
    server.play = answerAs;
    await server.listen();
    deployed = await deployBehind(app, server);
  });
  afterAll(() => server.close());

  it('breaks nothing and mixes no responses between visitors', async () => {
    const each = Math.ceil(HOSTILE_ANSWERS / VISITORS);
    await Promise.all(
      Array.from({ length: VISITORS }, (_, visitor) =>
        visitAll(visitor * each, Math.min(HOSTILE_ANSWERS, (visitor + 1) * each)),
      ),
    );
    expect(tally.honest).toBeGreaterThan(HOSTILE_ANSWERS / 2);
    expect(tally.whole + tally.refused + tally.brokenOff + tally.upgraded + tally.notUpgraded).toBe(HOSTILE_ANSWERS);
    // All of them happen, or the answers were not what they should be.
    for (const [outcome, count] of Object.entries(tally)) expect([outcome, count > 50]).toEqual([outcome, true]);
  });

  it('leaves nothing behind', async () => {
    await eventually(() => server.appServer.isIdle, 'nobody uses the server of the app', 20_000);
    expect(app.log().filter(({ msg }) => msg === 'Could not pass on the answer of an app.')).toEqual([]);
    expect((await app.fetch('/health')).status).toBe(200);
  });

  async function visitAll(first: number, end: number): Promise<void> {
    const dice = new Dice(SEED + first);
    let connection = await RawConnection.open(app.appsPort);
    for (let index = first; index < end; index++) {
      if (dice.happens(UPGRADES)) await upgradeOnce(index, dice);
      else if (!(await askHostile(connection, index, dice))) connection = await reopened(connection);
      if (dice.happens(0.7)) await askHonest(connection, index);
    }
    connection.close();
  }

  async function askHonest(connection: RawConnection, index: number): Promise<void> {
    const { status, body } = await connection.ask(
      `GET /honest/${index} HTTP/1.1\r\nHost: ${deployed.label}.localhost\r\n\r\n`,
    );
    if (status !== 200 || body !== markOf('honest', index))
      throw new Error(`The honest answer to ${index} was ${status}: ${body.slice(0, 200)}`);
    tally.honest++;
  }

  /** Whether the connection can be used again. */
  async function askHostile(connection: RawConnection, index: number, dice: Dice): Promise<boolean> {
    const [method, body] = dice.pick([
      ['GET', ''],
      ['GET', ''],
      ['HEAD', ''],
      ['POST', 'x'.repeat(dice.below(2_000))],
      ['PUT', 'GET /honest/0 HTTP/1.1\r\n\r\n'],
    ] as const);
    const length = method === 'POST' || method === 'PUT' ? `Content-Length: ${body.length}\r\n` : '';
    const head = `${method} /hostile/${index} HTTP/1.1\r\nHost: ${deployed.label}.localhost\r\n${length}\r\n`;
    try {
      const answer = await connection.ask(head + body);
      requireMarksOf(index, answer.head + answer.body);
      if (answer.status < 200 || answer.status > 599)
        throw new Error(`The answer to ${index} has the status ${answer.status}.`);
      if (answer.body.includes('<small>502 app_failed</small>')) tally.refused++;
      else tally.whole++;
      return !/^connection: close$/im.test(answer.head);
    } catch (error) {
      if (connection.isOpen) throw error;
      requireMarksOf(index, connection.unread);
      tally.brokenOff++;
      return false;
    }
  }

  async function upgradeOnce(index: number, dice: Dice): Promise<void> {
    const connection = await RawConnection.open(app.appsPort);
    connection.write(
      `GET /upgrade/${index} HTTP/1.1\r\nHost: ${deployed.label}.localhost\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\n\r\n',
    );
    if (dice.happens(0.5)) connection.write(frames(dice));
    await connection.closed();
    const text = connection.received.toString('latin1');
    requireMarksOf(index, text);
    if (!text.startsWith('HTTP/1.1 101 ')) {
      tally.notUpgraded++;
      return;
    }
    tally.upgraded++;
    const { bytes, isSound } = upgradeOf(index);
    if (isSound)
      expect(
        connection.received.equals(
          Buffer.concat([Buffer.from(SWITCHING), bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)]),
        ),
      ).toBe(true);
  }
});

function requireMarksOf(index: number, text: string): void {
  const marks = [...text.matchAll(MARK)]
    .filter(([mark, kind, of]) => mark === markOf(kind as 'honest', Number(of)))
    .map(([mark]) => mark);
  const others = marks.filter((mark) => mark !== markOf('hostile', index));
  if (others.length > 0) throw new Error(`The answer to ${index} has what was meant for another: ${others.join(' ')}`);
}

async function reopened(connection: RawConnection): Promise<RawConnection> {
  const { port } = connection;
  connection.close();
  return RawConnection.open(port);
}

/** The app: what it is asked for says what it answers. */
function answerAs(answer: PlayedAnswer): void {
  const [, kind = '', index = ''] = /^[A-Z]+ \/(\w+)\/(\d+) /.exec(answer.request) ?? [];
  if (kind === 'honest') {
    const body = markOf('honest', Number(index));
    answer.send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    return;
  }
  const { bytes, ends, pieces } = kind === 'upgrade' ? upgradeOf(Number(index)) : hostileOf(Number(index));
  // A piece after the end of an answer would be part of the next answer, so only heads are cut. Nothing follows frames,
  // which are cut anywhere.
  const lastCut = kind === 'upgrade' ? bytes.length : Math.max(0, bytes.indexOf('\r\n\r\n'));
  const size = Math.max(1, Math.ceil(lastCut / pieces));
  const sendFrom = (at: number): void => {
    const end = at + size < lastCut ? at + size : bytes.length;
    answer.send(bytes.subarray(at, end));
    if (end < bytes.length)
      setImmediate(() => {
        sendFrom(end);
      });
    else if (ends) answer.end();
  };
  sendFrom(0);
}

interface Played {
  readonly bytes: Buffer;
  /** Whether the connection ends after it. Where nothing says how long the answer is, it has to. */
  readonly ends: boolean;
  readonly pieces: number;
  readonly isSound: boolean;
}

function hostileOf(index: number): Played {
  const dice = new Dice(SEED * 31 + index);
  const body = markOf('hostile', index) + 'b'.repeat(dice.below(500));
  const pieces = dice.happens(0.5) ? 1 : 1 + dice.below(6);
  const sound = soundAnswer(dice, body);
  if (dice.happens(0.1)) return { bytes: sound, ends: dice.happens(0.2), pieces, isSound: true };
  if (dice.happens(0.1))
    return { bytes: Buffer.concat([sound, soundAnswer(dice, body)]), ends: false, pieces: 1, isSound: false };
  const crafted = dice.happens(0.4) ? craftedAnswer(dice, body) : sound;
  const bytes = dice.happens(0.03) ? dice.bytes(dice.below(400)) : dice.happens(0.8) ? mutated(dice, crafted) : crafted;
  return { bytes, ends: true, pieces, isSound: false };
}

function upgradeOf(index: number): Played {
  const dice = new Dice(SEED * 37 + index);
  const isSound = dice.happens(0.4);
  const switching = Buffer.concat([Buffer.from(SWITCHING), frames(dice)]);
  const bytes = isSound
    ? switching
    : mutated(dice, dice.happens(0.5) ? switching : craftedAnswer(dice, markOf('hostile', index)));
  return { bytes, ends: true, pieces: 1 + dice.below(4), isSound };
}
