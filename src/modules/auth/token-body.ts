import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

/** The token of a message. Its form is checked where it is looked up, so that every bad token gets the same answer. */
export class TokenBody {
  @ApiProperty({ description: 'From the message.', example: 'svc_mail_…' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly token!: string;
}
