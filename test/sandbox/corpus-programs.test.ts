import { Agreement } from './corpus/agreement.js';
import { programs } from './corpus/corpus.js';

describe('whole programs that others wrote', () => {
  let agreement: Agreement;
  beforeAll(async () => {
    agreement = await Agreement.open();
  });
  afterAll(() => agreement.close());

  it('are at least 200, and do in the sandbox what they do locally', async () => {
    const all = programs();
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(await agreement.differencesOf(all)).toEqual([]);
  }, 180_000);
});
