import fc from 'fast-check';
import {
  RUNNING_STATES,
  DEPLOY_STATES,
  type DeployState,
  ACTIVE_STATES,
  HANDED_BACK,
  isOver,
  leadsTo,
  sourcesOf,
} from './deploy-state.js';

const WAY: readonly DeployState[] = ['queued', 'initializing', 'building', 'deploying', 'ready'];
const anyState = fc.constantFrom(...DEPLOY_STATES);

/** The states of a deploy after each input. Inputs that the table does not allow have no effect. */
function walk(inputs: readonly DeployState[]): DeployState[] {
  const seen: DeployState[] = ['queued'];
  for (const input of inputs) if (leadsTo(seen.at(-1)!, input)) seen.push(input);
  return seen;
}

describe('the states of a deploy', () => {
  it('reach ready only through all states before it', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (inputs) => {
        const seen = walk(inputs);
        const onTheWay = seen.filter((state) => WAY.includes(state));
        expect(onTheWay).toEqual(WAY.slice(0, onTheWay.length));
        if (seen.includes('ready')) expect(seen).toEqual(WAY);
      }),
    );
  });

  it('include final states that nothing leads out of', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (inputs) => {
        const seen = walk(inputs);
        expect(seen.slice(0, -1).filter(isOver)).toEqual([]);
      }),
    );
    for (const from of DEPLOY_STATES.filter(isOver))
      for (const to of DEPLOY_STATES) expect(leadsTo(from, to)).toBe(false);
  });

  it('can change to error and canceled from all active states, and to skipped only from queued', () => {
    expect(ACTIVE_STATES).toEqual(['queued', 'initializing', 'building', 'deploying']);
    for (const end of ['error', 'canceled'] as const) expect(sourcesOf(end)).toEqual(ACTIVE_STATES);
    expect(sourcesOf('skipped')).toEqual(['queued']);
  });

  it('never lead back, except that a lost or handed back attempt is queued again', () => {
    for (const from of DEPLOY_STATES)
      for (const to of DEPLOY_STATES)
        if (leadsTo(from, to)) expect(DEPLOY_STATES.indexOf(to)).toBeGreaterThan(DEPLOY_STATES.indexOf(from));
    expect(HANDED_BACK).toBe('queued');
    expect(RUNNING_STATES.every((state) => ACTIVE_STATES.includes(state) && state !== 'queued')).toBe(true);
  });

  it('have the same transitions when asked by source and by target', () => {
    fc.assert(
      fc.property(anyState, anyState, (from, to) => {
        expect(sourcesOf(to).includes(from)).toBe(leadsTo(from, to));
      }),
    );
  });
});
