import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { Public } from '../../../platform/http/public.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { Clock } from '../../../platform/time/clock.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { type Meter, METERS } from '../../metering/meter.js';
import { PricesService, type ShownPrice } from '../../metering/prices.service.js';

class PriceView {
  @ApiProperty({ example: 'sandbox-compute-1', description: 'Id of this version of the price, shown on invoices.' })
  id!: string;
  @ApiProperty({ enum: METERS }) meter!: Meter;
  @ApiPropertyOptional({ type: String, example: 'anthropic/claude-sonnet:output' }) model?: string;
  @ApiProperty({ example: '0.1', description: 'Price in USD, as a decimal.' }) price_usd!: string;
  @ApiProperty({ example: 'hour', description: 'The quantity that the price is for.' }) per!: string;
  @ApiProperty({ format: 'date-time', description: 'When this price took effect.' }) since!: string;

  static of({ id, meter, model, priceNano, per, from }: ShownPrice): PriceView {
    return {
      id,
      meter,
      ...(model === null ? {} : { model }),
      price_usd: formatUsd(priceNano),
      per,
      since: from.toISOString(),
    };
  }
}

class PricesAnswer {
  @ApiProperty({ type: [PriceView] }) data!: PriceView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

@ApiTags('billing')
@Controller('api/v1/billing/prices')
export class PricesController {
  constructor(
    private readonly prices: PricesService,
    private readonly clock: Clock,
  ) {}

  /** Service document §8, "Metering". */
  @Get()
  @Public()
  @ApiOperation({
    summary: 'Lists the current prices of usage.',
    description: 'Prices are by meter and model, and the same on every plan.',
  })
  @ApiOkResponse({ type: PricesAnswer })
  @ApiRefusals(...ANY_CALL)
  async list(): Promise<Envelope<PriceView[]>> {
    const prices = await this.prices.list(this.clock.now());
    return new Envelope(prices.toSorted(byMeter).map((price) => PriceView.of(price)));
  }
}

const byMeter = (one: ShownPrice, other: ShownPrice): number =>
  METERS.indexOf(one.meter) - METERS.indexOf(other.meter) || (one.model ?? '').localeCompare(other.model ?? '');
