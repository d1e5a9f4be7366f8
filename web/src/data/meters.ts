import type { Usage } from '@service/client';

/** The names of meters, as invoices have them. */
export const METERS: Readonly<Record<Usage['meter'], string>> = {
  ai_tokens: 'AI inference',
  sandbox_compute: 'Sandbox compute',
  database_storage: 'Database storage',
  object_storage: 'Object storage',
};
