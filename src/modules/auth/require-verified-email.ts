import { Reflector } from '@nestjs/core';

/**
 * With `EMAIL_VERIFICATION=required`, the route refuses callers whose email address is not verified. Otherwise a person
 * could sign up with the address of another, and create keys, deploy and invite in that name.
 */
export const RequireVerifiedEmail = Reflector.createDecorator<undefined, true>({ transform: () => true });
