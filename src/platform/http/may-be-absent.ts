import { ValidateIf } from 'class-validator';

/**
 * The field may be left out. Unlike with class-validator's `IsOptional`, it may not be null: a default stands in for
 * what is absent only, so that a null would get past every other rule.
 */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);
