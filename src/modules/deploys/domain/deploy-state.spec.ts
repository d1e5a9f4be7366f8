import fc from 'fast-check';
import {
  AT_WORK,
  DEPLOY_STATES,
  type DeployState,
  GOING_ON,
  HANDED_BACK,
  isOver,
  leadsTo,
  sourcesOf,
} from './deploy-state.js';

const WAY: readonly DeployState[] = ['queued', 'initializing', 'building', 'deploying', 'ready'];
const anyState = fc.constantFrom(...DEPLOY_STATES);

/** What a deploy is after each input, of which those that the table does not allow fall through. */
function walk(inputs: readonly DeployState[]): DeployState[] {
  const seen: DeployState[] = ['queued'];
  for (const input of inputs) if (leadsTo(seen.at(-1)!, input)) seen.push(input);
  return seen;
}

describe('the states of a deploy', () => {
  it('lead over the whole way to ready, and nothing skips a part of it', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (inputs) => {
        const seen = walk(inputs);
        const onTheWay = seen.filter((state) => WAY.includes(state));
        expect(onTheWay).toEqual(WAY.slice(0, onTheWay.length));
        if (seen.includes('ready')) expect(seen).toEqual(WAY);
      }),
    );
  });

  it('end once, and nothing leads out of an end', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (inputs) => {
        const seen = walk(inputs);
        expect(seen.slice(0, -1).filter(isOver)).toEqual([]);
      }),
    );
    for (const from of DEPLOY_STATES.filter(isOver))
      for (const to of DEPLOY_STATES) expect(leadsTo(from, to)).toBe(false);
  });

  it('can end as error and canceled from wherever they go on, and as skipped only while nobody works on it', () => {
    expect(GOING_ON).toEqual(['queued', 'initializing', 'building', 'deploying']);
    for (const end of ['error', 'canceled'] as const) expect(sourcesOf(end)).toEqual(GOING_ON);
    expect(sourcesOf('skipped')).toEqual(['queued']);
  });

  it('never lead back, but for a lost or handed back attempt, which waits anew', () => {
    for (const from of DEPLOY_STATES)
      for (const to of DEPLOY_STATES)
        if (leadsTo(from, to)) expect(DEPLOY_STATES.indexOf(to)).toBeGreaterThan(DEPLOY_STATES.indexOf(from));
    expect(HANDED_BACK).toBe('queued');
    expect(AT_WORK.every((state) => GOING_ON.includes(state) && state !== 'queued')).toBe(true);
  });

  it('are told by the table both ways alike', () => {
    fc.assert(
      fc.property(anyState, anyState, (from, to) => {
        expect(sourcesOf(to).includes(from)).toBe(leadsTo(from, to));
      }),
    );
  });
});
