/**
 * Who may open a host: everybody, holders of a signed link that members of the organization create, or those and
 * anybody who knows the password.
 */
export const PROTECTION_MODES = ['none', 'members', 'password'] as const;
export type ProtectionMode = (typeof PROTECTION_MODES)[number];
