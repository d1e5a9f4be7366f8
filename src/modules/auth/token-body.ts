import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

/** The format of the token is checked where it is looked up, so that every bad token gets the same response. */
export class TokenBody {
  @ApiProperty({ description: 'Token from the message.', example: 'svc_mail_…' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly token!: string;
}
