import { until } from '../../support/embedded-servers.js';
import { DroppingRelay } from '../../support/dropping-relay.js';
import { type Answer, Caller, describeAnswer, isSuccess, isTypedRefusal } from '../caller.js';
import { allowedMs, type DrillResult, type Field, seconds, some } from '../drill.js';

/** The default of the service. */
const REDIS_TIMEOUT_MS = 50;
/** The limiter gives up after that time; the rest is what such a call takes. */
const WITHOUT_REDIS_WITHIN_MS = 300;
/** Opening a connection is given up after two seconds, and what is under way when nobody answers soon after. */
const WITHOUT_POSTGRES_WITHIN_MS = 10_000;
/** Above the free plan's 40 at once, which counts without Redis, too. */
const BURST = 80;

/**
 * One `api` loses Redis, and then PostgreSQL, without a word: the network drops all packets. Callers with a key go on
 * without Redis, limited by the process itself; what needs either is refused with 503 and Retry-After.
 */
export async function partitions(
  { cluster }: Field,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<DrillResult> {
  const run = Date.now().toString(36);
  const [caller, freeCaller] = [
    await Caller.signUp(cluster.url, `p${run}`),
    await Caller.signUp(cluster.url, `f${run}`),
  ];
  // A caller whose plan changes keeps the one before for some seconds.
  await cluster.sql(`UPDATE organizations SET plan = 'free' WHERE id = $1`, [freeCaller.orgId]);
  const postgresPort = Number(new URL(cluster.postgres.url('', '127.0.0.1')).port);
  const [redis, postgres] = await Promise.all([
    DroppingRelay.start(async () => (await cluster.redis.primary()).port),
    DroppingRelay.start(() => Promise.resolve(postgresPort)),
  ]);
  const api = await cluster.newProcess('api', `cut${run}`, {
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    DATABASE_URL: `postgres://app@127.0.0.1:${postgres.port}/postgres`,
    REDIS_TIMEOUT_MS: String(Math.round(allowedMs(REDIS_TIMEOUT_MS))),
  });
  const drill = new Partition(caller.at(api.url), freeCaller.at(api.url));
  try {
    await api.start();
    for (let round = 0; round < rounds; round++) {
      await drill.expectAll(calls);
      redis.drop();
      await drill.withoutRedis(calls);
      await drill.limitsItself();
      redis.mend();
      await until('it is ready again', () => api.isReady(), 20_000);
      await drill.expectAll(calls);
      postgres.drop();
      await drill.withoutPostgres(calls);
      postgres.mend();
      await until('it is ready again', () => api.isReady(), 20_000);
      await drill.expectAll(calls);
    }
  } finally {
    await api.kill();
    await Promise.all([redis.stop(), postgres.stop()]);
  }
  return {
    count: `Redis and PostgreSQL cut off ${rounds} ${rounds === 1 ? 'time' : 'times'} each, ${drill.calls} calls`,
    figures:
      `without Redis calls with a key answered within ${seconds(drill.slowestMs.redis)}, ` +
      `${drill.limited} of ${rounds * BURST} refused by the limiter of the process; ` +
      `without PostgreSQL 503 within ${seconds(drill.slowestMs.postgres)}`,
    violations: some([...drill.violations, ...api.faults]),
  };
}

class Partition {
  readonly violations: string[] = [];
  readonly slowestMs = { redis: 0, postgres: 0 };
  calls = 0;
  limited = 0;

  constructor(
    private readonly caller: Caller,
    private readonly freeCaller: Caller,
  ) {}

  /** While nothing is cut. */
  async expectAll(calls: number): Promise<void> {
    // The first calls after a cut may meet connections that have not noticed yet.
    await until('calls are answered again', async () => isSuccess(await this.ask('GET', '/projects')), 20_000);
    for (let call = 0; call < calls; call++) this.check('with all', await this.ask('GET', '/projects'), isSuccess);
    this.check('with all', await this.run(this.caller.anonymous(), '/sandbox/try'), isSuccess);
    this.check('with all', await this.run(this.caller, '/sandbox/executions'), isSuccess);
  }

  async withoutRedis(calls: number): Promise<void> {
    // One that was under way.
    await this.ask('GET', '/projects');
    for (let call = 0; call < calls; call++) {
      const read = await this.ask('GET', '/projects');
      const write = await this.ask('POST', '/keys', { name: `cut ${this.calls}` });
      for (const answer of [read, write]) {
        this.check('without Redis, a call with a key', answer, isSuccess);
        this.slowestMs.redis = Math.max(this.slowestMs.redis, answer.tookMs);
      }
      this.check('without Redis, the anonymous sandbox', await this.run(this.caller.anonymous(), '/sandbox/try'));
      this.check('without Redis, a paid execution', await this.run(this.caller, '/sandbox/executions'));
      this.check('without Redis, a sign-in', await this.signIn());
    }
    if (this.slowestMs.redis > allowedMs(WITHOUT_REDIS_WITHIN_MS))
      this.violations.push(`Without Redis a call with a key took ${seconds(this.slowestMs.redis)}.`);
  }

  /** More calls at once than the plan allows are refused by the process itself. */
  async limitsItself(): Promise<void> {
    const answers = await Promise.all(Array.from({ length: BURST }, () => this.freeCaller.call('GET', '/projects')));
    this.calls += BURST;
    for (const answer of answers)
      this.check('without Redis, many at once', answer, (each) => isSuccess(each) || each.status === 429);
    const limited = answers.filter(({ status }) => status === 429).length;
    this.limited += limited;
    if (limited === 0) this.violations.push('Without Redis nothing was limited.');
  }

  async withoutPostgres(calls: number): Promise<void> {
    const asked = Array.from({ length: calls }, () => this.ask('GET', '/projects'));
    const more = [this.signIn(), this.run(this.caller, '/sandbox/executions')];
    for (const answer of await Promise.all([...asked, ...more])) {
      this.check('without PostgreSQL', answer);
      this.slowestMs.postgres = Math.max(this.slowestMs.postgres, answer.tookMs);
    }
    if (this.slowestMs.postgres > allowedMs(WITHOUT_POSTGRES_WITHIN_MS))
      this.violations.push(`Without PostgreSQL a call took ${seconds(this.slowestMs.postgres)}.`);
  }

  private ask(method: string, path: string, body?: object): Promise<Answer> {
    this.calls++;
    return this.caller.call(method, path, body);
  }

  private run(caller: Caller, path: string): Promise<Answer> {
    this.calls++;
    return caller.call('POST', path, { language: 'javascript', code: 'console.log(1)' });
  }

  private signIn(): Promise<Answer> {
    this.calls++;
    const { username, password } = this.caller.account;
    return this.caller.anonymous().call('POST', '/auth/sign-in', { login: username, password });
  }

  private check(what: string, answer: Answer, isRight = isTypedRefusal): void {
    if (!isRight(answer)) this.violations.push(`${describeAnswer(what, answer)} after ${seconds(answer.tookMs)}`);
  }
}
