import fc from 'fast-check';
import { canFollow, isCallOver, TOOL_CALL_STATES, type ToolCallState } from './tool-call-state.js';

const nextOf = (state: ToolCallState): ToolCallState[] => TOOL_CALL_STATES.filter((each) => canFollow(state, each));

describe('the states of a call', () => {
  it('all lead to an end', () => {
    const ends = new Set<ToolCallState>(TOOL_CALL_STATES.filter((state) => nextOf(state).length === 0));
    expect([...ends].sort()).toEqual(['denied', 'expired', 'failed', 'succeeded']);
    const reached = new Set(ends);
    for (let size = 0; size < reached.size;) {
      size = reached.size;
      for (const state of TOOL_CALL_STATES) if (nextOf(state).some((each) => reached.has(each))) reached.add(state);
    }
    expect(reached.size).toBe(TOOL_CALL_STATES.length);
  });

  it('never lead from an end, nor from what was not approved to its execution', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 30 }), (choices) => {
        let state: ToolCallState = 'proposed';
        const path: ToolCallState[] = [state];
        for (const choice of choices) {
          const next = nextOf(state);
          if (next.length === 0) break;
          state = next[choice % next.length]!;
          path.push(state);
        }
        const executing = path.indexOf('executing');
        if (executing > 0) expect(path[executing - 1]).toBe('authorised');
        expect(path.slice(0, -1).every((each) => nextOf(each).length > 0)).toBe(true);
      }),
    );
  });
});

describe('isCallOver', () => {
  it('is false for an unknown outcome until a person says what happened, unless the model was notified', () => {
    expect(isCallOver({ state: 'outcome_unknown', waitingFor: 'unknown_outcome' })).toBe(false);
    expect(isCallOver({ state: 'outcome_unknown', waitingFor: null })).toBe(true);
    expect(isCallOver({ state: 'executing', waitingFor: 'answer' })).toBe(false);
    expect(isCallOver({ state: 'denied', waitingFor: null })).toBe(true);
  });
});
