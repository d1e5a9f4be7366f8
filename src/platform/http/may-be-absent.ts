import { ValidateIf } from 'class-validator';

/**
 * Makes a field optional. Unlike with class-validator's `IsOptional`, it may not be null: a default replaces only
 * absent values, so a null would bypass every other rule.
 */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** For a field of an update: when left out, the value stays as it is; null clears it. */
export const MayBeCleared = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);
