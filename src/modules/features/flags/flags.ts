/**
 * Every feature flag, what it switches and how it stands where nobody has said otherwise. A flag that is off refuses
 * with `feature_disabled`; what is under way goes on.
 */
export const FLAGS = {
  sign_ups: { default: true, description: 'New accounts can be made with POST /api/v1/auth/sign-up.' },
  anonymous_sandbox: {
    default: true,
    description: 'Code can be run without an account with POST /api/v1/sandbox/try.',
  },
  sandbox_executions: {
    default: true,
    description: 'Organizations can run code with POST /api/v1/sandbox/executions.',
  },
  deploys: { default: true, description: 'New deploys are taken in, and those that wait begin.' },
} as const satisfies Record<string, { readonly default: boolean; readonly description: string }>;

export type FlagName = keyof typeof FLAGS;

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

export const isFlagName = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);
