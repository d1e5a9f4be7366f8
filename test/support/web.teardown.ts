import './typescript-hook.cjs';
import stopServers from './servers.teardown.js';

/** After all tests of the web app. */
// Jest asks for a default export here.
export default async function stopWeb(): Promise<void> {
  await globalThis.webTest?.browser?.close();
  globalThis.webTest?.storage.close();
  await globalThis.webTest?.app.stop();
  await globalThis.webTest?.models.stop();
  await stopServers();
}
