import { randomUUID } from 'node:crypto';
import { type TokenRate, TokenRateService } from '../../src/modules/limits/token-rate.service.js';
import { useApp } from '../support/test-app.js';

const app = useApp({}, 'api');
const service = (): TokenRateService => app.get(TokenRateService);

/** One token flows back in six seconds, so that none does while a test runs. */
const rateOf = (tokensPerMinute = 10): TokenRate => ({ orgId: `org_${randomUUID()}`, tokensPerMinute });
const isGranted = async (rate: TokenRate, tokens: number): Promise<boolean> =>
  (await service().take(rate, tokens)) === undefined;

describe('the limit of tokens a minute', () => {
  it('grants what a minute allows to calls that race, and not more', async () => {
    const rate = rateOf();
    const granted = await Promise.all(Array.from({ length: 40 }, () => isGranted(rate, 2)));
    expect(granted.filter(Boolean)).toHaveLength(5);
    expect(await isGranted(rateOf(), 10)).toBe(true);
  });

  it('says what is left and when there is enough', async () => {
    const rate = rateOf();
    await isGranted(rate, 8);
    expect(await service().take(rate, 4)).toEqual({
      policy: 'tokens_per_minute',
      limit: 10,
      remaining: 2,
      resetsAt: expect.any(Date),
      retryAfterSeconds: expect.any(Number),
      upgradeUrl: 'http://api.test/pricing',
    });
    const { retryAfterSeconds } = (await service().take(rate, 4))!;
    expect(retryAfterSeconds).toBeGreaterThan(6);
    expect(retryAfterSeconds).toBeLessThanOrEqual(12);
  });

  it('counts what a call has used in the end, less or more than was taken', async () => {
    const rate = rateOf();
    expect(await isGranted(rate, 10)).toBe(true);
    await service().correct(rate, { taken: 10, used: 3 });
    expect(await isGranted(rate, 8)).toBe(false);
    expect(await isGranted(rate, 7)).toBe(true);
    // What was used beyond what was taken has to flow back before anything is granted.
    await service().correct(rate, { taken: 7, used: 20 });
    expect((await service().take(rate, 1))!.retryAfterSeconds).toBeGreaterThan(70);
  });

  it('never gives back more than was taken', async () => {
    const rate = rateOf();
    await service().correct(rate, { taken: 10, used: 0 });
    expect(await isGranted(rate, 11)).toBe(true);
    expect(await isGranted(rate, 1)).toBe(false);
  });

  it('needs a whole minute for a call that may use more than that, and corrects it by what was taken', async () => {
    const rate = rateOf();
    await isGranted(rate, 1);
    expect(await isGranted(rate, 1_000_000)).toBe(false);
    const other = rateOf();
    expect(await isGranted(other, 1_000_000)).toBe(true);
    await service().correct(other, { taken: 1_000_000, used: 4 });
    expect(await isGranted(other, 6)).toBe(true);
    expect(await isGranted(other, 1)).toBe(false);
  });
});
