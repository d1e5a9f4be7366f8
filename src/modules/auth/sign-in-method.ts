/** Other services that can say who a person is. */
export const PROVIDER_NAMES = ['github', 'google'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What a person has shown to sign in. `recovery_code` stands for a second factor that was lost. */
export const SIGN_IN_METHODS = ['password', ...PROVIDER_NAMES, 'totp', 'passkey', 'recovery_code'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What a sign-in can begin with and is only one factor. A provider counts as one, whatever it has asked for. */
export type FirstFactorMethod = 'password' | ProviderName;

/** What counts beside a first factor. A passkey also counts alone, because it is unlocked on the device. */
export type SecondFactorMethod = Exclude<SignInMethod, FirstFactorMethod>;

const FIRST: ReadonlySet<SignInMethod> = new Set<FirstFactorMethod>(['password', ...PROVIDER_NAMES]);

export const hasSecondFactor = (methods: readonly SignInMethod[]): boolean =>
  methods.some((method) => !FIRST.has(method));
