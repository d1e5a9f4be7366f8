/** Other services that can say who a person is. */
export const PROVIDER_NAMES = ['github', 'google'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What others say of a person: a service that the operator has set up, or the SSO connection of an organization. */
export const EXTERNAL_METHODS = [...PROVIDER_NAMES, 'sso'] as const;
export type ExternalMethod = (typeof EXTERNAL_METHODS)[number];

/** What a person has shown to sign in. `recovery_code` stands for a second factor that was lost. */
export const SIGN_IN_METHODS = ['password', ...EXTERNAL_METHODS, 'totp', 'passkey', 'recovery_code'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What a sign-in can begin with and is only one factor. A provider counts as one, whatever it has asked for. */
export type FirstFactorMethod = 'password' | ExternalMethod;

/** What counts beside a first factor. A passkey also counts alone, because it is unlocked on the device. */
export type SecondFactorMethod = Exclude<SignInMethod, FirstFactorMethod>;

const FIRST: ReadonlySet<SignInMethod> = new Set<FirstFactorMethod>(['password', ...EXTERNAL_METHODS]);

export const hasSecondFactor = (methods: readonly SignInMethod[]): boolean =>
  methods.some((method) => !FIRST.has(method));
