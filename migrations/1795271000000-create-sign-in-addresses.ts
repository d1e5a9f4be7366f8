import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release signs people in without looking here. */
export class CreateSignInAddresses1795271000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_addresses (
        user_id       text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        network       text        NOT NULL CHECK (length(network) BETWEEN 1 AND 64),
        first_seen_at timestamptz NOT NULL,
        last_seen_at  timestamptz NOT NULL,
        CONSTRAINT sign_in_addresses_pkey PRIMARY KEY (user_id, network)
      )
    `);
    // Nobody shall be told of a new sign-in from where they have always been. The /64 networks of IPv6 are left out:
    // their owners get one message each.
    await runner.query(`
      INSERT INTO sign_in_addresses (user_id, network, first_seen_at, last_seen_at)
      SELECT user_id, ip, min(created_at), max(last_used_at) FROM sessions
      WHERE ip ~ '^[0-9]{1,3}([.][0-9]{1,3}){3}$'
      GROUP BY user_id, ip
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_addresses');
  }
}
