import { IsString, MaxLength, MinLength } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { inOrder, IsOneLine, Trimmed } from '../../../platform/text/text-fields.js';

const MAX_PASSWORD_BYTES = 1_024;

/** A username or an email address, as a person types it to sign in. */
export const IsLogin = (): PropertyDecorator =>
  inOrder(Trimmed(), IsString(), MinLength(1), MaxLength(254), IsOneLine());

/** A password to set. `PasswordsService` has the rules that need the account. */
export const IsNewPassword = (): PropertyDecorator =>
  inOrder(IsString(), MinLength(10), MaxLength(200), MaxBytes(MAX_PASSWORD_BYTES));

/** A password to check. It may be of any form that was valid when it was set. */
export const IsKnownPassword = (): PropertyDecorator => inOrder(IsString(), MinLength(1), MaxBytes(MAX_PASSWORD_BYTES));
