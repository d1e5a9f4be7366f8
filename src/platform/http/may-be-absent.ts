import { ValidateIf } from 'class-validator';

/**
 * The field may be left out. Unlike with class-validator's `IsOptional`, it may not be null: a default stands in for
 * what is absent only, so that a null would get past every other rule.
 */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** The field of a change: left out it stays as it is, and null clears it. */
export const MayBeCleared = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);
