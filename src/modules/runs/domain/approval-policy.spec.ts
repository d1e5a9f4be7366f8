import type { AgentTool } from '../../agents/agent-tool.js';
import { approvalReasonOf } from './approval-policy.js';

const tool = (facts: Partial<AgentTool> = {}): AgentTool => ({
  name: 'tool',
  description: 'Is tested.',
  inputSchema: {},
  effect: 'keyed',
  scopes: [],
  taints: false,
  isOutward: false,
  call: () => Promise.resolve({ kind: 'succeeded', output: null }),
  ...facts,
});
const reason = (facts: Partial<AgentTool>, approval: 'auto' | 'always' | 'never', isTainted = false): string | null =>
  approvalReasonOf({ tool: tool(facts), use: { approval }, input: { type: 'production' }, isTainted });

describe('approvalReasonOf', () => {
  it('follows the rule of the version before anything else', () => {
    expect(reason({}, 'always')).toBe('rule');
    const demanding = { effect: 'once', isOutward: true, needsApproval: () => true } as const;
    expect(reason(demanding, 'never', true)).toBeNull();
    expect(reason(demanding, 'always', true)).toBe('rule');
  });

  it('asks when the tool demands it for these arguments', () => {
    const needsApproval = (input: Readonly<Record<string, unknown>>): boolean => input['type'] === 'production';
    expect(reason({ needsApproval }, 'auto')).toBe('tool');
    expect(reason({ needsApproval: () => false }, 'auto')).toBeNull();
  });

  it('asks after untrusted text before effects that cannot be repeated or that others see', () => {
    for (const facts of [{ effect: 'once' }, { isOutward: true }] as const) {
      expect(reason(facts, 'auto')).toBeNull();
      expect(reason(facts, 'auto', true)).toBe('tainted');
    }
    for (const effect of ['read', 'local', 'keyed'] as const) expect(reason({ effect }, 'auto', true)).toBeNull();
  });
});
