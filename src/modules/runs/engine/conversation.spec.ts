import type { RunMessage, RunStep } from '../domain/run.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { conversationOf, type ConversationFacts } from './conversation.js';

const AT = new Date(0);
const step = (seq: number, text: string, facts: Partial<RunStep> = {}): RunStep => ({
  seq,
  kind: 'answer',
  state: 'answered',
  asks: 1,
  model: 'a',
  text,
  generationId: null,
  inputTokens: null,
  outputTokens: null,
  costNano: null,
  createdAt: AT,
  endedAt: AT,
  ...facts,
});
const call = (stepSeq: number, facts: Partial<RunToolCall> = {}): RunToolCall => ({
  id: `tcl_${stepSeq}`,
  orgId: 'org_1',
  runId: 'run_1',
  step: stepSeq,
  place: 0,
  modelCallId: `call_${stepSeq}`,
  tool: 'get',
  effect: 'read',
  effectKey: '',
  arguments: { a: 1 },
  state: 'succeeded',
  waitingFor: null,
  wakesAt: null,
  output: 'found',
  error: null,
  startedAt: AT,
  endedAt: AT,
  ...facts,
});
const said = (afterStep: number, content: string, callId: string | null = null): RunMessage => ({
  seq: afterStep,
  afterStep,
  callId,
  content,
  createdAt: AT,
});
const textsOf = (facts: Partial<ConversationFacts>): string[] =>
  conversationOf({
    version: { instructions: 'Be brief.', outputSchema: null },
    blocks: [],
    earlier: [],
    input: 'Go.',
    steps: [],
    calls: [],
    messages: [],
    ...facts,
  }).map(({ role, content }) => `${String(role)}: ${String(content)}`);

describe('conversationOf', () => {
  it('has instructions, memory and schema first, then what was said before, and then the input', () => {
    const texts = textsOf({
      version: { instructions: 'Be brief.', outputSchema: { type: 'object' } },
      blocks: [{ label: 'facts', description: 'Known', value: 'The sky is blue.' }],
      earlier: [{ input: 'One?', output: 'One.' }],
    });
    expect(texts[0]).toContain('<memory label="facts" about="Known">\nThe sky is blue.\n</memory>');
    expect(texts[0]).toContain('{"type":"object"}');
    expect(texts.slice(1)).toEqual(['user: One?', 'assistant: One.', 'user: Go.']);
  });

  it('puts results after their answer, and messages of people where they were said', () => {
    expect(
      textsOf({
        steps: [step(1, 'Look.'), step(2, 'Look again.')],
        calls: [call(1), call(2, { state: 'failed', error: { code: 'x', message: 'No.' } })],
        messages: [said(0, 'Hurry.'), said(1, 'Not there.'), said(1, 'An answer.', 'tcl_1'), said(2, 'Stop.')],
      }).slice(1),
    ).toEqual([
      'user: Go.',
      'user: Hurry.',
      'assistant: Look.',
      'tool: found',
      'user: Not there.',
      'assistant: Look again.',
      'tool: Error x: No.',
      'user: Stop.',
    ]);
  });

  it('has a summary in place of the steps before it, and no answer that is not there yet', () => {
    expect(
      textsOf({
        steps: [
          step(1, 'Old.'),
          step(2, 'What matters.', { kind: 'summary' }),
          step(3, 'New.'),
          step(4, '', { state: 'asking' }),
        ],
        messages: [said(1, 'Old words.'), said(2, 'New words.')],
      }).slice(1),
    ).toEqual([
      'user: Go.',
      'user: Summary of the earlier steps of this run:\n\nWhat matters.',
      'user: New words.',
      'assistant: New.',
    ]);
  });

  it('cuts results that are too long', () => {
    const [, , , result] = textsOf({ steps: [step(1, '')], calls: [call(1, { output: 'x'.repeat(100_000) })] });
    expect(result!.length).toBeLessThan(66_000);
    expect(result).toContain('34464 more characters were cut');
  });
});
