import fc from 'fast-check';
import { GenericPayloadInvalid, readReports } from './report.js';

const NOW = new Date('2026-11-21T12:00:00Z');

/** Nothing in it that PostgreSQL would refuse. */
const isStorable = (value: unknown): boolean => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));

describe('a report', () => {
  it('is read from anything, or refused for its form', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.array(fc.anything()), (body, alerts) => {
        for (const each of [body, { ...body, version: '4', alerts }, { ...body, title: 'x' }]) {
          try {
            const { reports, rejected } = readReports(each, NOW);
            expect(reports.every((report) => isStorable(report))).toBe(true);
            if (each['version'] === '4' && Array.isArray(each['alerts']))
              expect(reports.length + rejected.length).toBe(each['alerts'].length);
          } catch (error) {
            expect(error).toBeInstanceOf(GenericPayloadInvalid);
          }
        }
      }),
    );
  });

  it('holds no text that cannot be stored', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
        (text, labels) => {
          const alert = {
            status: 'firing',
            labels: { ...labels, alertname: text },
            annotations: { description: text },
            startsAt: NOW.toISOString(),
          };
          expect(isStorable(readReports({ version: '4', alerts: [alert] }, NOW))).toBe(true);
          expect(isStorable(readReports({ title: `x${text}`, dedupKey: text, labels }, NOW))).toBe(true);
        },
      ),
    );
  });

  it('has the same key in whichever order its labels come', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string(), { maxKeys: 20 }), (labels) => {
        const backwards = Object.fromEntries(Object.entries(labels).reverse());
        const keyOf = (of: object): string => readReports({ title: 'x', labels: of }, NOW).reports[0]!.dedupKey;
        expect(keyOf(backwards)).toBe(keyOf(labels));
      }),
    );
  });

  it('takes the zero time of Go for none', () => {
    const { reports, rejected } = readReports(
      {
        version: '4',
        alerts: [{ status: 'resolved', labels: {}, startsAt: '2026-11-21T11:00:00Z', endsAt: '0001-01-01T00:00:00Z' }],
      },
      NOW,
    );
    expect(rejected).toEqual([]);
    expect(reports[0]).toMatchObject({ endsAt: NOW, title: 'Unnamed alert' });
  });

  it('cuts what is long instead of losing it', () => {
    const [report] = readReports(
      {
        title: 'x'.repeat(10_000),
        description: 'y'.repeat(10_000),
        labels: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`l${index}`, 'z'.repeat(9_999)])),
      },
      NOW,
    ).reports;
    expect([
      report!.title.length,
      report!.description!.length,
      Object.keys(report!.labels).length,
      report!.labels['l0']!.length,
    ]).toEqual([300, 4_000, 64, 1_000]);
  });
});
