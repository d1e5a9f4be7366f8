import fc from 'fast-check';
import { approvalDigestOf, canonicalJson, effectKeyOf } from './digests.js';

const TOOL = { name: 'deploy', description: 'Deploys.', inputSchema: { type: 'object' }, effect: 'local' } as const;
const VERSION = { agentId: 'agt_1', number: 3 };

/** Returns the same value with the keys of all of its objects in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, turned(each)]),
  );
}

describe('canonicalJson', () => {
  it('is the same for the same value, however its keys are ordered, and can be read back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('approvalDigestOf', () => {
  const digest = (input: Record<string, unknown>, facts: object = {}, version = VERSION): string =>
    approvalDigestOf({ tool: { ...TOOL, ...facts }, input, version });

  it('changes with the arguments, the tool and the version, and with nothing else', () => {
    const first = digest({ branch: 'main', type: 'production' });
    expect(digest({ type: 'production', branch: 'main' })).toBe(first);
    const others = [
      digest({ branch: 'other', type: 'production' }),
      digest({ branch: 'main', type: 'production' }, { description: 'Deploys everything.' }),
      digest({ branch: 'main', type: 'production' }, { inputSchema: { type: 'object', properties: {} } }),
      digest({ branch: 'main', type: 'production' }, {}, { ...VERSION, number: 4 }),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });
});

describe('effectKeyOf', () => {
  it('is different for every call of every run', () => {
    const keys = ['run_1', 'run_2'].flatMap((run) =>
      [1, 2, 11].flatMap((step) => [0, 1, 11].map((place) => effectKeyOf(run, step, place))),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(effectKeyOf('run_1', 1, 0)).toMatch(/^[0-9a-f]{64}$/);
  });
});
