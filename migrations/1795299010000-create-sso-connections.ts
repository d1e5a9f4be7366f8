import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only. The previous release signs nobody in through a connection, and requires none. */
export class CreateSsoConnections1795299010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sso_connections (
        id               text        PRIMARY KEY CHECK (id LIKE 'sso_%'),
        org_id           text        NOT NULL REFERENCES organizations (id),
        name             text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        type             text        NOT NULL CHECK (type IN ('oidc', 'saml')),
        status           text        NOT NULL CHECK (status IN ('draft', 'tested', 'active', 'paused')),
        paused_reason    text        CHECK (paused_reason IN ('by_member', 'plan')),
        issuer           text        CHECK (length(issuer) BETWEEN 1 AND 500),
        client_id        text        CHECK (length(client_id) BETWEEN 1 AND 255),
        client_secret    bytea,
        idp_entity_id    text        CHECK (length(idp_entity_id) BETWEEN 1 AND 1024),
        idp_sso_url      text        CHECK (length(idp_sso_url) BETWEEN 1 AND 2048),
        idp_metadata_url text        CHECK (length(idp_metadata_url) BETWEEN 1 AND 2048),
        idp_certificates text[]      NOT NULL DEFAULT '{}' CHECK (cardinality(idp_certificates) <= 10),
        certificates_end timestamptz,
        expiry_notice    int         CHECK (expiry_notice IN (7, 30)),
        metadata_read_at timestamptz,
        metadata_problem text        CHECK (metadata_problem IN ('unreadable', 'other_provider')),
        sp_key           bytea,
        sp_certificate   text,
        mapping          jsonb       NOT NULL DEFAULT '{}',
        default_role     text        NOT NULL CHECK (default_role IN ('admin', 'member', 'viewer')),
        group_roles      jsonb       NOT NULL DEFAULT '[]',
        jit              boolean     NOT NULL,
        tested_at        timestamptz,
        activated_at     timestamptz,
        last_used_at     timestamptz,
        created_at       timestamptz NOT NULL,
        updated_at       timestamptz NOT NULL,
        CONSTRAINT sso_connections_oidc CHECK (
          type <> 'oidc' OR (issuer IS NOT NULL AND client_id IS NOT NULL AND client_secret IS NOT NULL)
        ),
        CONSTRAINT sso_connections_saml CHECK (
          type <> 'saml' OR (
            idp_entity_id IS NOT NULL AND idp_sso_url IS NOT NULL AND cardinality(idp_certificates) > 0
            AND certificates_end IS NOT NULL AND sp_key IS NOT NULL AND sp_certificate IS NOT NULL
          )
        ),
        CONSTRAINT sso_connections_paused CHECK ((status = 'paused') = (paused_reason IS NOT NULL)),
        CONSTRAINT sso_connections_tested CHECK ((status = 'draft') = (tested_at IS NULL)),
        CONSTRAINT sso_connections_activated CHECK (status NOT IN ('active', 'paused') OR activated_at IS NOT NULL)
      )
    `);
    await runner.query('CREATE INDEX sso_connections_by_org ON sso_connections (org_id)');
    await runner.query(`
      CREATE INDEX sso_connections_metadata_due ON sso_connections (metadata_read_at) WHERE idp_metadata_url IS NOT NULL
    `);
    await runner.query(`
      CREATE INDEX sso_connections_ending ON sso_connections (certificates_end)
      WHERE status = 'active' AND certificates_end IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sso_connections');
  }
}
