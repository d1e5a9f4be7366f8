import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsEmail, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { isBranchName } from '../git/branch-name.js';

/**
 * Applies decorators as if they were written before the field in this order. Of several faults, the first rule's is
 * reported.
 */
export const inOrder = (...decorators: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(...decorators.reverse());

export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Text without line breaks, control characters and unpaired surrogates. */
export const IsOneLine = (): PropertyDecorator =>
  ValidateBy({
    name: 'isOneLine',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value),
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} must be one line without control characters`,
    },
  });

/** The name of a branch, by the rules of git. */
export const IsBranchName = (): PropertyDecorator =>
  inOrder(
    IsString(),
    ValidateBy({
      name: 'isBranchName',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isBranchName(value),
        defaultMessage: (fault) => `${fault?.property ?? 'the field'} must be a valid git branch name`,
      },
    }),
  );

/** A name that people choose, on one line. */
export const IsTitle = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(100), IsOneLine());

/** An e-mail address. Only ASCII is allowed before the `@`, because nearly every mail server requires it. */
export const IsEmailAddress = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MaxLength(254), IsEmail({ allow_utf8_local_part: false }));
