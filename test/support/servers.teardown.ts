import './typescript-hook.cjs';
import { removeScratchDirectory } from './scratch-directory.js';
import { templateDatabase, withAdmin } from './test-database.js';

/** After all service tests. A run that is killed needs no teardown: its servers end with it. */
// Jest asks for a default export here.
export default async function stopServers(): Promise<void> {
  const servers = globalThis.testServers;
  if (servers === undefined) return;

  await withAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${templateDatabase()} WITH (FORCE)`));
  await Promise.all(servers.started.map((server) => server.stop()));
  removeScratchDirectory(servers.directory);
  removeScratchDirectory(servers.templates);
}
