import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { IsOneLine } from '../../../platform/text/text-fields.js';
import { MAX_PUBLIC_URL_LENGTH } from '../../../platform/egress/public-target.js';
import { WEBHOOK_TYPES, type WebhookType } from '../domain/webhook-types.js';
import type { IssuedWebhookEndpoint } from '../endpoints/webhook-endpoints.service.js';
import {
  DELIVERY_STATES,
  type DeliveryState,
  ENDPOINT_STATES,
  type EndpointState,
  PAUSE_REASONS,
  type PauseReason,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '../persistence/webhook-rows.js';

const MAX_GRACE_SECONDS = 7 * 86_400;
const URL_FIELD = {
  maxLength: MAX_PUBLIC_URL_LENGTH,
  example: 'https://hooks.example.com/service',
  description: 'An https URL with the name of a public host. Redirects are not followed.',
};
const TYPES_FIELD = {
  enum: WEBHOOK_TYPES,
  isArray: true,
  example: ['deploy.ready', 'deploy.error'],
  description:
    'Types of events to send. Empty means all, later ones included, but for `audit_log.recorded`, which has to be ' +
    'named and needs `audit:read` too.',
};
const DESCRIPTION_FIELD = { type: String, maxLength: 200, example: 'Chat of the team' };

export class CreateWebhookEndpointBody {
  @ApiProperty(URL_FIELD)
  @IsString()
  @MaxLength(MAX_PUBLIC_URL_LENGTH)
  readonly url!: string;

  @ApiPropertyOptional({ ...DESCRIPTION_FIELD, default: '' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  @IsOneLine()
  readonly description: string = '';

  @ApiPropertyOptional({ ...TYPES_FIELD, default: [] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(WEBHOOK_TYPES.length)
  @ArrayUnique()
  @IsIn(WEBHOOK_TYPES, { each: true })
  readonly types: WebhookType[] = [];
}

export class UpdateWebhookEndpointBody {
  @ApiPropertyOptional({ ...URL_FIELD, type: String })
  @MayBeAbsent()
  @IsString()
  @MaxLength(MAX_PUBLIC_URL_LENGTH)
  readonly url?: string;

  @ApiPropertyOptional(DESCRIPTION_FIELD)
  @MayBeAbsent()
  @IsString()
  @MaxLength(200)
  @IsOneLine()
  readonly description?: string;

  @ApiPropertyOptional(TYPES_FIELD)
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(WEBHOOK_TYPES.length)
  @ArrayUnique()
  @IsIn(WEBHOOK_TYPES, { each: true })
  readonly types?: WebhookType[];

  @ApiPropertyOptional({
    enum: ENDPOINT_STATES,
    example: 'active',
    description: '`paused` sends nothing, and gives up what waits. `active` starts with what happens from now on.',
  })
  @MayBeAbsent()
  @IsIn(ENDPOINT_STATES)
  readonly state?: EndpointState;
}

export class RotateWebhookSecretBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: 86_400,
    example: 3_600,
    description: 'How long messages are signed with the old secret as well.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_GRACE_SECONDS)
  readonly grace_seconds: number = 86_400;
}

export class WebhookEndpointView {
  @ApiProperty({ example: 'whe_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty(URL_FIELD) url!: string;
  @ApiProperty(DESCRIPTION_FIELD) description!: string;
  @ApiProperty(TYPES_FIELD) types!: readonly string[];
  @ApiProperty({ enum: ENDPOINT_STATES }) state!: EndpointState;
  @ApiPropertyOptional({
    enum: PAUSE_REASONS,
    description: '`failing`: it accepted nothing for a day. `gone`: it answered 410.',
  })
  pause_reason?: PauseReason;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the first attempt failed since the last success. Absent while it works.',
  })
  failing_since?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(endpoint: WebhookEndpoint): WebhookEndpointView {
    const { id, url, description, types, state, pauseReason, failingSince, createdAt, updatedAt } = endpoint;
    return {
      id,
      url,
      description,
      types,
      state,
      ...(pauseReason === null ? {} : { pause_reason: pauseReason }),
      ...(failingSince === null ? {} : { failing_since: failingSince.toISOString() }),
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class IssuedWebhookEndpointView extends WebhookEndpointView {
  @ApiProperty({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    description: 'Secret that messages are signed with. It is returned only once.',
  })
  secret!: string;

  static issued({ endpoint, secret }: IssuedWebhookEndpoint): IssuedWebhookEndpointView {
    return Object.assign(WebhookEndpointView.of(endpoint), { secret });
  }
}

export class WebhookDeliveryView {
  @ApiProperty({ example: 'whd_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'evt_01jd3m8yeqf5rb0xkq5ym8s6tn', description: 'The `webhook-id` of the message.' })
  event_id!: string;
  @ApiProperty({ example: 'deploy.ready' }) type!: string;
  @ApiProperty({ enum: DELIVERY_STATES }) state!: DeliveryState;
  @ApiProperty({ type: 'integer' }) attempts!: number;
  @ApiPropertyOptional({ type: String, description: 'The delivery that this one repeats.' }) replay_of?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Status of the last answer.' }) status?: number;
  @ApiPropertyOptional({
    type: String,
    example: 'timed_out',
    description:
      'Why the last attempt failed: `bad_status`, `timed_out`, `connection_failed`, `unknown_host`, ' +
      '`private_address`, `refused_url` or `endpoint_paused`.',
  })
  error?: string;
  @ApiPropertyOptional({ type: String, description: 'Beginning of the last answer.' }) response?: string;
  @ApiPropertyOptional({ type: 'integer' }) duration_ms?: number;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_attempt_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent unless it is pending.' })
  next_attempt_at?: string;
  @ApiProperty({ description: 'Body of the message.' }) body!: string;

  static of(delivery: WebhookDelivery): WebhookDeliveryView {
    const { id, eventId, type, state, attempts, replayOf, status, error, excerpt, durationMs } = delivery;
    const { createdAt, lastAt, nextAt, body } = delivery;
    return {
      id,
      event_id: eventId,
      type,
      state,
      attempts,
      ...(replayOf === null ? {} : { replay_of: replayOf }),
      ...(status === null ? {} : { status }),
      ...(error === null ? {} : { error }),
      ...(excerpt === null ? {} : { response: excerpt }),
      ...(durationMs === null ? {} : { duration_ms: durationMs }),
      created_at: createdAt.toISOString(),
      ...(lastAt === null ? {} : { last_attempt_at: lastAt.toISOString() }),
      ...(state === 'pending' ? { next_attempt_at: nextAt.toISOString() } : {}),
      body,
    };
  }
}

export class WebhookEndpointAnswer {
  @ApiProperty({ type: WebhookEndpointView }) data!: WebhookEndpointView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class IssuedWebhookEndpointAnswer {
  @ApiProperty({ type: IssuedWebhookEndpointView }) data!: IssuedWebhookEndpointView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class WebhookEndpointPageAnswer {
  @ApiProperty({ type: [WebhookEndpointView] }) data!: WebhookEndpointView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class WebhookDeliveryAnswer {
  @ApiProperty({ type: WebhookDeliveryView }) data!: WebhookDeliveryView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class WebhookDeliveryPageAnswer {
  @ApiProperty({ type: [WebhookDeliveryView] }) data!: WebhookDeliveryView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
