/** The host of a repository: this service or GitHub. */
export const PROVIDERS = ['service', 'github'] as const;
export type Provider = (typeof PROVIDERS)[number];
