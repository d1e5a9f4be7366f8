import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';

/** A text that an agent remembers. */
export interface Memory {
  readonly id: string;
  readonly agentId: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** The run that wrote it. Null for a person. */
  readonly runId: string | null;
  /** True when the run had read text from outside of the service. */
  readonly tainted: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = `
  id, agent_id AS "agentId", text, tags, run_id AS "runId", tainted, created_at AS "createdAt",
  updated_at AS "updatedAt"`;

/** Trigrams of long texts take a millisecond each: only the beginnings of the newest are compared. */
const COMPARED = { memories: 1_000, characters: 500 };
/** The default of pg_trgm for words within a text. */
const SIMILAR = 0.6;

@Injectable()
export class MemoriesStore {
  private hasTrigrams: Promise<boolean> | undefined;

  constructor(private readonly database: Database) {}

  async insert({ id, agentId, text, tags, runId, tainted, createdAt }: Memory): Promise<void> {
    await this.sql(
      `INSERT INTO agent_memories (id, agent_id, text, tags, run_id, tainted, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [id, agentId, text, tags, runId, tainted, createdAt],
    );
  }

  async save({ id, text, tags, runId, tainted, updatedAt }: Memory): Promise<void> {
    await this.sql(
      'UPDATE agent_memories SET text = $2, tags = $3, run_id = $4, tainted = $5, updated_at = $6 WHERE id = $1',
      [id, text, tags, runId, tainted, updatedAt],
    );
  }

  async count(agentId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM agent_memories WHERE agent_id = $1', [
      agentId,
    ]);
    return row!.n;
  }

  async find(agentId: string, id: string): Promise<Memory | undefined> {
    const [row] = await this.sql<Memory>(`SELECT ${COLUMNS} FROM agent_memories WHERE agent_id = $1 AND id = $2`, [
      agentId,
      id,
    ]);
    return row;
  }

  /** Newest first. */
  async list(agentId: string, page: PageRequest): Promise<Page<Memory>> {
    const rows = await this.sql<Memory>(
      `SELECT ${COLUMNS} FROM agent_memories
       WHERE agent_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [agentId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  /**
   * Returns the memories that match best: those with most of the words, or with words that begin with them, and then
   * those with similar words, if the database has pg_trgm.
   */
  async search(agentId: string, { words, limit }: { words: readonly string[]; limit: number }): Promise<Memory[]> {
    if (words.length === 0) return [];
    const values = [agentId, words.map((word) => `'${word}':*`).join(' | '), words.join(' '), limit];
    if (!(await this.canCompare())) {
      return this.sql<Memory>(
        `SELECT ${COLUMNS} FROM agent_memories, to_tsquery('simple', $2) AS query
         WHERE agent_id = $1 AND search @@ query AND $3::text IS NOT NULL
         ORDER BY ts_rank(search, query) DESC, id DESC LIMIT $4`,
        values,
      );
    }
    return this.sql<Memory>(
      `WITH found AS (
         SELECT id, ts_rank(search, query) AS rank FROM agent_memories, to_tsquery('simple', $2) AS query
         WHERE agent_id = $1 AND search @@ query ORDER BY rank DESC, id DESC LIMIT $4),
       compared AS (
         SELECT id, word_similarity($3, left(text, ${COMPARED.characters})) AS similarity FROM (
           SELECT id, text FROM agent_memories
           WHERE agent_id = $1 AND (SELECT count(*) FROM found) < $4
           ORDER BY id DESC LIMIT ${COMPARED.memories}) AS newest),
       matches AS (
         SELECT id, rank, 1 AS similarity FROM found
         UNION ALL
         SELECT id, 0, similarity FROM compared
         WHERE similarity >= ${SIMILAR} AND id NOT IN (SELECT id FROM found))
       SELECT ${COLUMNS} FROM agent_memories JOIN matches USING (id)
       ORDER BY rank DESC, similarity DESC, id DESC LIMIT $4`,
      values,
    );
  }

  /** Returns true when there was one. */
  async delete(agentId: string, id: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM agent_memories WHERE agent_id = $1 AND id = $2',
      [agentId, id],
    );
    return count > 0;
  }

  async removeAll(agentId: string): Promise<void> {
    await this.sql('DELETE FROM agent_memories WHERE agent_id = $1', [agentId]);
  }

  /** The migration creates pg_trgm where the database allows it. */
  private canCompare(): Promise<boolean> {
    this.hasTrigrams ??= this.database
      .apart(() => this.sql<{ has: boolean }>(`SELECT to_regproc('word_similarity') IS NOT NULL AS has`, []))
      .then(([row]) => row!.has)
      .catch((error: unknown) => {
        this.hasTrigrams = undefined;
        throw error;
      });
    return this.hasTrigrams;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
