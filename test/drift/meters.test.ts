import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Meter, METER_TABLE, METERS } from '../../src/modules/metering/meter.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const PAGE = join(PROJECT_ROOT, 'docs/metering.md');
/** From its heading to the empty line after it. */
const TABLE = /(?<=<!-- meters -->\n)[\s\S]*?\n(?=\n)/;

const tableOfMeters = (): string =>
  [
    '| Meter | On an invoice | An event counts | A price is for |',
    '|---|---|---|---|',
    ...METERS.map((meter) => {
      const { label, counts, price } = METER_TABLE[meter];
      return `| \`${meter}\` | ${label} | ${counts} | ${price.per} |`;
    }),
    '',
  ].join('\n');

describe('the table of meters', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  it('is in docs/metering.md; UPDATE_METERS_PAGE=1 writes it', () => {
    if (process.env['UPDATE_METERS_PAGE'] === '1')
      writeFileSync(
        PAGE,
        readFileSync(PAGE, 'utf8').replace(TABLE, () => tableOfMeters()),
      );
    expect(TABLE.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(tableOfMeters());
  });

  const textsIn = (definition: string): string[] => [...definition.matchAll(/'(\w+)'::text/g)].map(([, text]) => text!);
  const constraint = async (name: string): Promise<string[]> => {
    const [row] = await make.sql<{ definition: string }>(
      'SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1',
      [name],
    );
    return textsIn(row!.definition).sort();
  };

  it('names the meters that the database takes', async () => {
    expect(await constraint('price_versions_meter')).toEqual([...METERS].sort());
  });

  it('names the meters of which the database wants a model', async () => {
    const withModel: readonly Meter[] = METERS.filter((meter) => METER_TABLE[meter].hasModel);
    expect(await constraint('price_versions_model')).toEqual([...withModel].sort());
  });
});
