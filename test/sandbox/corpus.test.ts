import { Agreement } from './corpus/agreement.js';
import { examples } from './corpus/corpus.js';

describe('examples that others wrote', () => {
  let agreement: Agreement;
  beforeAll(async () => {
    agreement = await Agreement.open();
  });
  afterAll(() => agreement.close());

  it('are at least 200, and do in the sandbox what they do locally', async () => {
    const programs = examples();
    expect(programs.length).toBeGreaterThanOrEqual(200);
    expect(new Set(programs.map(({ language }) => language)).size).toBe(3);
    expect(await agreement.differencesOf(programs)).toEqual([]);
  }, 180_000);
});
