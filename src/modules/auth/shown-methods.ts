import type { SignInMethod } from './sign-in-method.js';

/** What a person has shown to open a session. */
export interface ShownMethods {
  readonly methods: readonly SignInMethod[];
  /** The SSO connection, if the methods name `sso`. */
  readonly connectionId?: string | undefined;
}
