/** Who pays for a generation: the credits of the organization, or its own account at the provider. */
export const BILLED_TO = ['credits', 'organization'] as const;
export type BilledTo = (typeof BILLED_TO)[number];
