/** Who keeps a repository: this service itself, or GitHub. */
export const PROVIDERS = ['service', 'github'] as const;
export type Provider = (typeof PROVIDERS)[number];
