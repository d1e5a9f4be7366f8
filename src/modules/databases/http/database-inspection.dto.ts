import { ApiProperty } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { DatabaseStats, DescribedSchema } from '../sql/database-inspection.js';

const TABLE_KINDS = ['table', 'view', 'materialized_view', 'foreign_table'] as const;

export class DatabaseColumnView {
  @ApiProperty({ example: 'email' }) name!: string;
  @ApiProperty({ example: 'character varying(200)' }) type!: string;
  @ApiProperty({ example: false }) nullable!: boolean;
  @ApiProperty({ type: String, nullable: true, example: null, description: 'The first 200 characters.' })
  default!: string | null;
}

export class DatabaseIndexView {
  @ApiProperty({ example: 'customers_pkey' }) name!: string;
  @ApiProperty({ example: true }) unique!: boolean;
  @ApiProperty({ example: true }) primary!: boolean;
  @ApiProperty({ example: 'CREATE UNIQUE INDEX customers_pkey ON public.customers USING btree (id)' })
  definition!: string;
}

export class DatabaseTableSizeView {
  @ApiProperty({ example: 'public' }) schema!: string;
  @ApiProperty({ example: 'customers' }) name!: string;
  @ApiProperty({ type: Number, nullable: true, example: 1_200, description: 'Null before the table was analyzed.' })
  row_estimate!: number | null;
  @ApiProperty({ example: 98_304, description: 'With its indexes.' }) size_bytes!: number;
}

export class DatabaseTableView extends DatabaseTableSizeView {
  @ApiProperty({ enum: TABLE_KINDS, example: 'table' }) kind!: (typeof TABLE_KINDS)[number];
  @ApiProperty({ type: [DatabaseColumnView], description: 'The first 200.' }) columns!: readonly DatabaseColumnView[];
  @ApiProperty({ type: [DatabaseIndexView], description: 'The first 50.' }) indexes!: readonly DatabaseIndexView[];
}

export class DatabaseSchemaView {
  @ApiProperty({ type: [String], example: ['public'] }) schemas!: readonly string[];
  @ApiProperty({ type: [DatabaseTableView], description: 'The first 300, by schema and name.' })
  tables!: readonly DatabaseTableView[];
  @ApiProperty({ example: false, description: 'Whether there are more tables.' }) truncated!: boolean;

  static of({ schemas, tables, truncated }: DescribedSchema): DatabaseSchemaView {
    const views = (tables ?? []).map((table) => ({
      ...table,
      columns: table.columns ?? [],
      indexes: table.indexes ?? [],
    }));
    return { schemas: schemas ?? [], tables: views, truncated };
  }
}

export class DatabaseSchemaAnswer {
  @ApiProperty({ type: DatabaseSchemaView }) data!: DatabaseSchemaView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DatabaseSlowStatementView {
  @ApiProperty({ example: 'SELECT * FROM customers WHERE email = $1', description: 'The first 1,000 characters.' })
  statement!: string;
  @ApiProperty({ example: 120 }) calls!: number;
  @ApiProperty({ example: 120 }) rows!: number;
  @ApiProperty({ example: 840.5 }) total_ms!: number;
  @ApiProperty({ example: 7.004 }) mean_ms!: number;
}

export class DatabaseStatsView {
  @ApiProperty({ example: 8_388_608, description: 'With what an empty database takes.' }) size_bytes!: number;
  @ApiProperty({ example: 3 }) connections!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.998,
    description: 'The part of the pages that were in memory. Null before any was read.',
  })
  cache_hit_rate!: number | null;
  @ApiProperty({ example: 5_210, description: 'Since the database last woke, like the next three.' }) commits!: number;
  @ApiProperty({ example: 2 }) rollbacks!: number;
  @ApiProperty({ example: 0 }) deadlocks!: number;
  @ApiProperty({ example: 0 }) temporary_bytes!: number;
  @ApiProperty({ type: [DatabaseTableSizeView], description: 'The 20 largest.' })
  tables!: readonly DatabaseTableSizeView[];
  @ApiProperty({
    type: [DatabaseSlowStatementView],
    nullable: true,
    description: 'The 20 statements that took most time. Null where statements are not counted.',
  })
  slow_statements!: readonly DatabaseSlowStatementView[] | null;

  static of({ blocks_hit: hit, blocks_read: read, slowStatements, ...stats }: DatabaseStats): DatabaseStatsView {
    return {
      ...stats,
      tables: stats.tables ?? [],
      cache_hit_rate: hit + read === 0 ? null : Number((hit / (hit + read)).toFixed(4)),
      slow_statements: slowStatements,
    };
  }
}

export class DatabaseStatsAnswer {
  @ApiProperty({ type: DatabaseStatsView }) data!: DatabaseStatsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
