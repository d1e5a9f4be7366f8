import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import type { SetBudgetInput } from '../budgets/budgets.service.js';
import { BUDGET_WINDOWS, type BudgetWindow } from '../domain/budget.js';
import type { SpentBudget } from '../persistence/budgets.store.js';

const WINDOW_FIELD = {
  enum: BUDGET_WINDOWS,
  example: 'month',
  description: 'When it is reset: each day or calendar month (UTC), or never (`total`).',
};

export class SetBudgetBody {
  @ApiProperty(WINDOW_FIELD)
  @IsIn(BUDGET_WINDOWS)
  readonly window!: BudgetWindow;

  @ApiProperty({ example: '25', description: 'Limit in USD, as a decimal. `"0"` refuses all work that costs.' })
  @IsUsd({ least: 0n })
  readonly limit!: string;

  get input(): SetBudgetInput {
    return { window: this.window, limitNano: parseUsd(this.limit) };
  }
}

export class BudgetView {
  @ApiProperty({
    example: 'key:key_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'What it limits: `key:` and the id of an API key, or `project:` and the id of a project.',
  })
  subject!: string;
  @ApiProperty(WINDOW_FIELD) window!: BudgetWindow;
  @ApiProperty({ example: '25', description: 'Limit in USD.' }) limit!: string;
  @ApiProperty({ example: '12.5', description: 'What was spent in this window, in USD, whatever paid for it.' })
  spent!: string;
  @ApiProperty({ example: '0.000416667', description: 'What is held for running work, in USD.' }) held!: string;
  @ApiProperty({ example: '12.499583333', description: 'What new work may cost, in USD.' }) available!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When it is reset. Absent if it never is.',
  })
  resets_at?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(budget: SpentBudget): BudgetView {
    const { subject, window, limitNano, postedNano, heldNano, resetsAt, createdAt, updatedAt } = budget;
    const availableNano = limitNano - postedNano - heldNano;
    return {
      subject,
      window,
      limit: formatUsd(limitNano),
      spent: formatUsd(postedNano),
      held: formatUsd(heldNano),
      available: formatUsd(availableNano > 0n ? availableNano : 0n),
      ...(resetsAt === null ? {} : { resets_at: resetsAt.toISOString() }),
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class BudgetAnswer {
  @ApiProperty({ type: BudgetView }) data!: BudgetView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class BudgetPageAnswer {
  @ApiProperty({ type: [BudgetView] }) data!: BudgetView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
