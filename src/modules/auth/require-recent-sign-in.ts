import { Reflector } from '@nestjs/core';

/** For how long a sign-in, or its confirmation, lets a person do what is dangerous. */
export const RECENT_SIGN_IN_MS = 15 * 60_000;

/**
 * The route requires that a person in a session signed in, or confirmed it, within {@link RECENT_SIGN_IN_MS}, and with
 * a second factor where the person has one. A stolen session can then neither make keys nor let others in. Keys are not
 * asked: nobody can sign in with one, and their scopes say what they may do.
 */
export const RequireRecentSignIn = Reflector.createDecorator<undefined, true>({ transform: () => true });
