import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The check of the ledger, once for each statement instead of once for each entry. The previous release writes all
 * entries of a transaction with one statement too, and keeps working beside it.
 */
export class BalanceLedgerAtOnce1795267100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // It reads only what is being written: entries are never changed, each transaction has position 1 once, and so none
    // of it comes later. That a transaction is there needs no lock either, because none is ever deleted. Its plan is
    // kept by each connection while the table grows, and so must not be one for small tables.
    await runner.query(`
      CREATE FUNCTION require_whole_ledger_transactions() RETURNS trigger LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        faulty record;
      BEGIN
        SELECT written.*, transaction.key IS NOT NULL AS is_there INTO faulty
        FROM (SELECT transaction_key, sum(amount_nano) AS sum, count(*) AS entries, min(position) AS first,
          max(position) AS last FROM written_entries GROUP BY transaction_key) AS written
          LEFT JOIN ledger_transactions AS transaction ON transaction.key = written.transaction_key
        WHERE written.sum <> 0 OR written.entries < 2 OR written.first <> 1 OR written.last <> written.entries
          OR transaction.key IS NULL
        LIMIT 1;
        IF NOT FOUND THEN
          RETURN NULL;
        ELSIF NOT faulty.is_there THEN
          RAISE EXCEPTION 'There is no ledger transaction %.', faulty.transaction_key
            USING ERRCODE = 'foreign_key_violation';
        ELSIF faulty.sum <> 0 THEN
          RAISE EXCEPTION 'The entries of the ledger transaction % do not sum to zero.', faulty.transaction_key
            USING ERRCODE = 'check_violation';
        END IF;
        RAISE EXCEPTION 'The entries of the ledger transaction % are not all of it.', faulty.transaction_key
          USING ERRCODE = 'check_violation';
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER ledger_entries_whole AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS written_entries
      FOR EACH STATEMENT EXECUTE FUNCTION require_whole_ledger_transactions()
    `);
    await runner.query('DROP TRIGGER ledger_transactions_balance ON ledger_entries');
    await runner.query('DROP FUNCTION require_balanced_ledger_transaction');
    await runner.query('ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_transaction');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_transaction FOREIGN KEY (transaction_key)
        REFERENCES ledger_transactions (key)`,
    );
    await runner.query(`
      CREATE FUNCTION require_balanced_ledger_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT sum(amount_nano) FROM ledger_entries WHERE transaction_key = NEW.transaction_key) <> 0 THEN
          RAISE EXCEPTION 'The entries of the ledger transaction % do not sum to zero.', NEW.transaction_key
            USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$
    `);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_entries
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balanced_ledger_transaction()
    `);
    await runner.query('DROP TRIGGER ledger_entries_whole ON ledger_entries');
    await runner.query('DROP FUNCTION require_whole_ledger_transactions');
  }
}
