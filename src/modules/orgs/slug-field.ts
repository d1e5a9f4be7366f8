import { Transform } from 'class-transformer';
import { IsString, ValidateBy } from 'class-validator';
import { inOrder } from '../../platform/text/text-fields.js';
import { isSlug, RESERVED_NAMES } from './domain/slug.js';

const LowerCased = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim().toLowerCase() : value));

const IsFree = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNotReserved',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !RESERVED_NAMES.has(value),
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} is a reserved name`,
    },
  });

const HasSlugForm = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSlug',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isSlug(value),
      defaultMessage: (fault) =>
        `${fault?.property ?? 'the field'} must be 2 to 39 characters: a-z, 0-9 and single hyphens between them`,
    },
  });

/** The slug of an organization or a username. They share one namespace. */
export const IsName = (): PropertyDecorator => inOrder(LowerCased(), IsString(), HasSlugForm(), IsFree());
