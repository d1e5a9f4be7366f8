import { Reflector } from '@nestjs/core';

/**
 * The route refuses callers whose email address is not verified, where `EMAIL_VERIFICATION=required`: otherwise
 * whoever signs up with an address of somebody else could mint keys, deploy and invite in that person's name.
 */
export const RequireVerifiedEmail = Reflector.createDecorator<undefined, true>({ transform: () => true });
