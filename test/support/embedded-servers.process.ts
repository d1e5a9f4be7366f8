import { startEmbeddedPostgres } from '../../src/roles/embedded/embedded-postgres.js';
import { startEmbeddedRedis } from '../../src/roles/embedded/embedded-redis.js';

/**
 * A service reduced to its servers, for tests that kill it: `embedded-servers.process.ts <dataDir> stay|leave`.
 * Prints one line of JSON once they run, or the message of what went wrong.
 */
async function main([dataDir = '', mode = 'stay']: string[]): Promise<void> {
  const log = (line: string): void => {
    console.error(line);
  };
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const redis = await startEmbeddedRedis({ dataDir, log }).catch(async (error: unknown) => {
    // The reader of the message may remove the data at once.
    await postgres.stop();
    throw error;
  });
  console.log(JSON.stringify({ postgres, redis }));
  if (mode === 'stay') setInterval(() => undefined, 60_000);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.log(JSON.stringify({ error: (error as Error).message }));
  process.exit(1);
});
