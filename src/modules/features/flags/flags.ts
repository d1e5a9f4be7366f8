/**
 * All feature flags with their defaults. A flag that is off refuses new work with `feature_disabled`; work that has
 * begun continues.
 */
export const FLAGS = {
  sign_ups: { default: true, description: 'New accounts can be created with POST /api/v1/auth/sign-up.' },
  anonymous_sandbox: {
    default: true,
    description: 'Unauthenticated callers can run code with POST /api/v1/sandbox/try.',
  },
  sandbox_executions: {
    default: true,
    description: 'Organizations can run code with POST /api/v1/sandbox/executions.',
  },
  ai_inference: { default: true, description: 'Organizations can call models under /api/v1/ai.' },
  agent_runs: { default: true, description: 'Runs of agents are accepted, and queued and waiting runs go on.' },
  schedules: { default: true, description: 'Schedules of agents can be created, and start runs when they are due.' },
  databases: { default: true, description: 'Databases can be created, branched and restored.' },
  deploys: { default: true, description: 'New deploys are accepted, and queued deploys start.' },
} as const satisfies Record<string, { readonly default: boolean; readonly description: string }>;

export type FlagName = keyof typeof FLAGS;

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

export const isFlagName = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);
