import { withToolNames } from './tool-hints.js';

const hintOf = (hint: unknown): unknown => (withToolNames({ error: { code: 'x', hint } })['error'] as any).hint;

describe('withToolNames', () => {
  it.each([
    ['List them with GET /api/v1/sandbox/sessions.', 'List them with the tool list_sessions.'],
    [
      'List the files with GET /api/v1/sandbox/sessions/{session_id}/files.',
      'List the files with the tool list_session_files.',
    ],
    ['Send POST /api/v1/sandbox/executions again.', 'Send the tool run_code again.'],
    ['List them with GET /api/v1/sandbox/executions.', 'List them with GET /api/v1/sandbox/executions.'],
    ['Retry after 5 s.', 'Retry after 5 s.'],
  ])('turns %j into %j', (hint, expected) => {
    expect(hintOf(hint)).toBe(expected);
  });

  it.each([{ error: { code: 'x' } }, { error: null }, { error: 'x' }, {}, { data: 1 }, { error: { hint: 1 } }])(
    'leaves %j as it is',
    (body) => {
      expect(withToolNames(body)).toEqual(body);
    },
  );
});
