import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { inOrder, IsOneLine, Trimmed } from '../../../platform/http/text-fields.js';
import { isSlug, RESERVED_NAMES } from '../orgs/slug.js';

const MAX_PASSWORD_BYTES = 1_024;

const Lowered = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim().toLowerCase() : value));

const IsFree = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNotReserved',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !RESERVED_NAMES.has(value),
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} is a name that is kept for the service`,
    },
  });

const HasSlugForm = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSlug',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isSlug(value),
      defaultMessage: (fault) =>
        `${fault?.property ?? 'the field'} must be 2 to 39 of a-z, 0-9 and single hyphens between them`,
    },
  });

/** A username or the slug of an organization: they are one namespace. */
export const IsName = (): PropertyDecorator => inOrder(Lowered(), IsString(), HasSlugForm(), IsFree());

/** ASCII before the `@`, as good as every mail server wants it. */
export const IsAddress = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MaxLength(254), IsEmail({ allow_utf8_local_part: false }));

/** A username or an e-mail address, as somebody types it who signs in. */
export const IsLogin = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(254), IsOneLine());

/** A password that is set. The rules that need the account are in `PasswordsService`. */
export const IsNewPassword = (): PropertyDecorator =>
  inOrder(IsString(), MinLength(10), MaxLength(200), MaxBytes(MAX_PASSWORD_BYTES));

/** A password that is checked: whatever it was when it was set. */
export const IsKnownPassword = (): PropertyDecorator => inOrder(IsString(), MinLength(1), MaxBytes(MAX_PASSWORD_BYTES));

/** The token of a message. Its form is told by the refusal of the token, not by that of the field. */
export class TokenBody {
  @ApiProperty({ description: 'From the message.', example: 'svc_mail_…' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly token!: string;
}
